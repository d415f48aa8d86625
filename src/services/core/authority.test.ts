import { describe, expect, expectTypeOf, test } from 'vitest'
import { Problem } from '#domain/problem.ts'
import {
  byAttempt,
  byEligibility,
  byOwner,
  byOwnerOrNull,
  byProgram,
  byReader,
  byRefusal,
  bySelf,
  bySystem,
  byVisitor,
  executor,
  type Authority,
} from './authority.ts'
import type { Caller, ServiceContext, SigningContext, SystemContext } from './context.ts'
import { createServiceProcess } from './system.ts'
import { inUnitOfWork } from './unit-of-work.ts'

const ada: Caller = { actor: { type: 'person', id: 'ada', name: 'Ada' }, channel: 'dashboard' }
const key: Caller = {
  actor: { type: 'machine', id: 'key', name: 'CI', ownerId: 'ada' },
  channel: 'api',
}
const refusal = new Problem('not_found', 'There is none')
const system = createServiceProcess()

function refusedBy(act: () => unknown): Problem['code'] | null {
  try {
    act()
    return null
  } catch (error) {
    return error instanceof Problem ? error.code : null
  }
}

describe('checked at compile time:', () => {
  test('a unit of work begins with an authority, and with nothing else', () => {
    const begin = (ctx: ServiceContext) => {
      const nothing = async () => undefined
      // @ts-expect-error a write without an authority
      void inUnitOfWork(ctx, nothing)
      // @ts-expect-error a caller whom nobody checked
      void inUnitOfWork(ctx, ada, nothing)
      // @ts-expect-error the boolean answer of a right
      void inUnitOfWork(ctx, true, nothing)
      // @ts-expect-error a judgement in the transaction that returns no authority
      void inUnitOfWork(ctx, async () => ({ request: 'x' }), nothing)
      return inUnitOfWork(ctx, byReader(ada), nothing)
    }
    expectTypeOf(begin).returns.resolves.toBeUndefined()
  })

  test('an authority is made by no literal and by no copy of one', () => {
    expectTypeOf(ada).not.toExtend<Authority>()
    expectTypeOf({ ...byReader(ada) }).not.toExtend<Authority>()
    expectTypeOf<{
      actor: Caller['actor']
      channel: Caller['channel']
      assertRecords: () => void
    }>().not.toExtend<Authority>()
    expectTypeOf<Authority>().toExtend<Caller>()
  })

  test('a route of the API cannot act for the service', () => {
    expectTypeOf<SigningContext>().not.toExtend<Pick<SystemContext, 'system'>>()
    expectTypeOf(bySystem).parameter(0).toEqualTypeOf<Pick<SystemContext, 'system'>>()
    expectTypeOf(ada).not.toExtend<Parameters<typeof bySystem>[1]>()
    // @ts-expect-error the type can be named, and only one file can make a value
    const forged: SystemContext['system'] = {}
    expect(forged).toEqual({})
  })
})

describe('an owner', () => {
  test('is one of the people or keys to which the thing belongs', () => {
    expect(byOwner(ada, ['grace', 'ada'], refusal)).toMatchObject(ada)
    expect(byOwnerOrNull(key, [null, 'key'])).toMatchObject(key)
  })

  test('is nobody else, and a key does not act as its owner', () => {
    expect(refusedBy(() => byOwner(ada, ['grace'], refusal))).toBe('not_found')
    expect(byOwnerOrNull(key, ['ada'])).toBeNull()
    expect(byOwnerOrNull(executor, ['executor'])).toBeNull()
  })
})

test('somebody acts in their own name, a program in that of its key, and neither as the other', () => {
  expect(bySelf(ada, 'Only people').actor.id).toBe('ada')
  expect(byProgram(key).actor.ownerId).toBe('ada')
  expect(refusedBy(() => bySelf(key, 'Only people'))).toBe('forbidden')
  expect(refusedBy(() => byProgram(ada))).toBe('forbidden')
})

test('only the caller can be found eligible, and only if it is a person', () => {
  expect(byEligibility(ada, { id: 'ada' }, () => refusal)).toMatchObject(ada)
  for (const [caller, eligible] of [
    [ada, { id: 'grace' }],
    [ada, null],
    [key, { id: 'key' }],
  ] as const) {
    expect(refusedBy(() => byEligibility(caller, eligible, () => refusal))).toBe('not_found')
  }
})

test('an authority that was judged for one right records no events of other rights', () => {
  const weak = [
    byAttempt(ada),
    byReader(ada),
    byVisitor('sign-in', 'dashboard'),
    byRefusal({ type: 'attempt.refused', ...ada }),
  ]
  for (const authority of weak) {
    expect(() => authority.assertRecords('decision.recorded')).toThrow('does not record')
    expect(() => authority.assertRecords('policy.activated')).toThrow('does not record')
  }
  expect(() =>
    byRefusal({ type: 'attempt.refused', ...ada }).assertRecords('attempt.refused'),
  ).not.toThrow()
  expect(() => bySystem({ system }, executor).assertRecords('execution.started')).not.toThrow()
})
