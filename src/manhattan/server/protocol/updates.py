"""Updates: from a table event and the states around it to the message of each viewer.

A pure projection of (before, after, event, viewer). What is the same for every viewer, the patch of
the position and the projected scores, is worked out once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import msgspec
from msgspec import UNSET

from manhattan.projected_scores import ProjectedScores
from manhattan.rules import Build, PublicState
from manhattan.rules.board import SITES, Site
from manhattan.server.domain.events import ChatSent, MovePlayed, PersonId, TableEvent
from manhattan.server.domain.state import TableState
from manhattan.server.protocol.messages import (
    GameEvent,
    Omittable,
    PositionPatch,
    PrivateState,
    TowerInfo,
    UpdateMessage,
)
from manhattan.server.protocol.serialize import (
    SITE_NAMES,
    clock_info,
    encode,
    game_events,
    game_result,
    log_viewpoint,
    position,
    private_state,
    score_sheets,
    stocks,
    table_info,
    tower_info,
)
from manhattan.server.protocol.table_events import TableEventPayload, table_event_payload


class TableUpdate:
    """A table event with the states before and after it."""

    def __init__(
        self,
        before: TableState,
        after: TableState,
        event: TableEvent,
        previous_scores: ProjectedScores | None = None,
    ) -> None:
        """``previous_scores`` are those of the state before; the next follow from them quickly."""
        self.before = before
        self.after = after
        self.event = event
        self._previous_scores = previous_scores
        self._scores: ProjectedScores | None = None
        self._sites = _changed_sites(before, after, event)
        self._shared: tuple[TableEventPayload, Omittable[PositionPatch]] | None = None

    @property
    def number(self) -> int:
        return self.before.number

    def message_for(
        self, person: PersonId | None, current: TableState, reply_to: str | None = None
    ) -> UpdateMessage:
        """Return a viewer's message. Only the update that led to the table's current state carries
        the viewer's hand and legal moves."""
        event, after = self.event, self.after
        payload, patch = self.describe()
        played: Omittable[list[GameEvent]] = UNSET
        private: Omittable[PrivateState] = UNSET
        is_move = isinstance(event, MovePlayed)
        is_chat = isinstance(event, ChatSent)
        if (game := after.game) is not None and not is_chat:
            if is_move:
                viewpoint = log_viewpoint(current, person)
                played = game_events(game.last_events, game.setup, viewpoint)
            if current is after:
                private = private_state(after, person, self.scores)
        only_position = is_move and after.stage != "over" and self.before.undo is None
        return UpdateMessage(
            number=self.number,
            at=event.at,
            event=payload,
            game_events=played,
            patch=patch,
            table=UNSET if is_chat or only_position else table_info(after, person),
            private=private,
            reply_to=reply_to or UNSET,
        )

    def describe(self) -> tuple[TableEventPayload, Omittable[PositionPatch]]:
        """Describe the event and the new position, once for all viewers."""
        if self._shared is None:
            is_chat = isinstance(self.event, ChatSent)
            seat = self.after.chat[-1].seat if is_chat else None
            patch: Omittable[PositionPatch] = UNSET
            if self.after.game is not None and not is_chat:
                patch = cast("PositionPatch", msgspec.Raw(encode(self._patch())))
            self._shared = table_event_payload(self.event, seat), patch
        return self._shared

    def scores(self) -> ProjectedScores:
        """Return the projected scores after the event."""
        if self._scores is None:
            self._scores = self._next_scores()
        return self._scores

    def take_scores(self) -> ProjectedScores | None:
        """Hand the projected scores on to the next update, and keep nothing that can be worked out
        again: a table remembers its last updates for viewers who reconnect."""
        scores, self._scores, self._shared = self._scores or self._previous_scores, None, None
        self._previous_scores = None
        return scores

    def _next_scores(self) -> ProjectedScores:
        before, game = self.before.game, self.after.game
        assert game is not None
        # Let go of the previous ones, or every update would keep its predecessor alive.
        previous, self._previous_scores = self._previous_scores, None
        if previous is None or before is None or previous.board is not before.public.board:
            return ProjectedScores(game.public)
        if len(self._sites) > 1:
            return ProjectedScores(game.public)
        return previous.after(game.public, self._sites[0] if self._sites else None)

    def _patch(self) -> PositionPatch:
        """Compare the positions. Most parts of a new state are the very objects of the old one."""
        game, clock = self.after.game, clock_info(self.after.clocks)
        assert game is not None
        new = game.public
        if self.before.game is None:
            return PositionPatch(**msgspec.structs.asdict(position(new, game.ply, clock)))
        old = self.before.game.public
        if old is new:
            return PositionPatch(clock=clock)
        setup = new.setup
        is_board_same = new.board is old.board
        is_pile_same = new.played is old.played
        is_round_same = new.sheets is old.sheets
        return PositionPatch(
            ply=game.ply,
            mover=new.mover,
            clock=clock,
            phase=UNSET if new.phase is old.phase else new.phase.value,
            towers=UNSET if is_board_same else self._changed_towers(old, new),
            projected_scores=UNSET if is_board_same else list(self.scores().points),
            played=UNSET if is_pile_same else list(new.played),
            pile=UNSET if is_pile_same else new.pile_size,
            shuffles=UNSET if is_pile_same else new.shuffles,
            round=UNSET if is_round_same else new.round,
            start_player=UNSET if is_round_same else new.start_player,
            scores=UNSET if is_round_same else list(new.scores),
            sheets=UNSET if is_round_same else score_sheets(new),
            result=UNSET if is_round_same else game_result(new.result),
            supplies=UNSET if new.supplies is old.supplies else stocks(setup, new.supplies),
            tableaus=UNSET if new.tableaus is old.tableaus else stocks(setup, new.tableaus),
            taken_out=UNSET if new.taken_out is old.taken_out else stocks(setup, new.taken_out),
        )

    def _changed_towers(self, old: PublicState, new: PublicState) -> dict[str, TowerInfo | None]:
        return {
            SITE_NAMES[site]: tower_info(tower, new.setup.colours) if tower.blocks else None
            for site in self._sites
            if (tower := new.board[site]) is not old.board[site]
        }


def _changed_sites(before: TableState, after: TableState, event: TableEvent) -> Sequence[Site]:
    """Return the sites that the event may have changed."""
    old, new = before.game, after.game
    if new is None or old is None or old.public.board is new.public.board:
        return ()
    move = new.last_move if isinstance(event, MovePlayed) else None
    return (move.site,) if isinstance(move, Build) else SITES  # after an undo, any of them
