"""Operations: metrics, logging, runtime tuning."""
