/** The steps of the tutorial, and those that differ from the others. */

export const STEPS = 8
/** The aim of the game, to read. */
export const GOAL_STEP = 1
/** The same card from several sides; nothing is built. */
export const CARD_STEP = 3
/** The move with the most points; the learner can play afterwards. */
export const BEST_MOVE_STEP = 8
/** For games of two players only, and therefore not one of the steps that are counted. */
export const EXTRA_STEP = 9
