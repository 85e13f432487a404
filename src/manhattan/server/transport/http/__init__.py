"""HTTP: routes by resource, middleware, the page, health checks, and the OpenAPI description."""
