import { expect, it } from 'vitest'
import type { Position } from '$/protocol/types.gen'
import { applyPatch } from './position'

const tower = (blocks: string) => ({ blocks, owner: 'blue', height: 1, floors: {}, needs: {} })

it('replaces what a patch contains and keeps the rest', () => {
  const before = { ply: 3, round: 1, towers: { A1: tower('b1') } } as unknown as Position
  const after = applyPatch(before, { ply: 4, towers: { A2: tower('b2') } })
  expect(after).toEqual({ ply: 4, round: 1, towers: { A1: tower('b1'), A2: tower('b2') } })
  expect(before.towers).toEqual({ A1: tower('b1') })
})

it('removes towers that are null in a patch, as after an undo', () => {
  const before = { ply: 3, towers: { A1: tower('b1') } } as unknown as Position
  expect(applyPatch(before, { ply: 2, towers: { A1: null } }).towers).toEqual({})
})

it('starts from nothing', () => {
  expect(applyPatch(null, { ply: 0 })).toEqual({ ply: 0, towers: {} })
})
