import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  executionTransitions,
  isEnd,
  permitTransitions,
  requestTransitions,
  runTransitions,
  transition,
  type TransitionTable,
} from './transitions.ts'

/** Every legal step, written out: whatever is not here must be refused. */
const legal = {
  request: [
    'pending count pending',
    'pending revise pending',
    'pending extend pending',
    'pending approve approved',
    'pending deny denied',
    'pending expire expired',
    'pending cancel cancelled',
  ],
  permit: ['live consume consumed', 'live lapse lapsed', 'live revoke revoked'],
  execution: [
    'not_started start started',
    'not_started refuse refused',
    'started succeed succeeded',
    'started fail failed',
    'started refuse refused',
    'started lose unknown',
    'unknown succeed succeeded',
    'unknown fail failed',
  ],
  run: [
    'running ask waiting_for_approval',
    'running rest waiting_for_input',
    'running complete completed',
    'running fail failed',
    'running cancel cancelled',
    'waiting_for_approval resume running',
    'waiting_for_approval rest waiting_for_input',
    'waiting_for_approval fail failed',
    'waiting_for_approval cancel cancelled',
    'waiting_for_input resume running',
    'waiting_for_input ask waiting_for_approval',
    'waiting_for_input complete completed',
    'waiting_for_input fail failed',
    'waiting_for_input cancel cancelled',
  ],
}

type AnyTable = TransitionTable<string, string>
const tables: readonly [keyof typeof legal, AnyTable, readonly string[]][] = [
  [
    'request',
    requestTransitions,
    ['count', 'revise', 'extend', 'approve', 'deny', 'expire', 'cancel'],
  ],
  ['permit', permitTransitions, ['consume', 'lapse', 'revoke']],
  ['execution', executionTransitions, ['start', 'refuse', 'succeed', 'fail', 'lose']],
  ['run', runTransitions, ['ask', 'resume', 'rest', 'complete', 'fail', 'cancel']],
]

describe.each(tables)('the table of a %s', (name, table, events) => {
  const states = Object.keys(table)

  test('accepts exactly the steps that are legal, from every state, for every event', () => {
    const accepted = states.flatMap((from) =>
      events.flatMap((event) => {
        const to = transition(table, from, event)
        return to === null ? [] : [`${from} ${event} ${to}`]
      }),
    )
    expect(accepted.toSorted()).toEqual(legal[name].toSorted())
  })

  test('lists no event without a name', () => {
    const named = states.flatMap((state) => Object.keys(table[state] ?? {}))
    expect(named.filter((event) => !events.includes(event))).toEqual([])
  })

  test('never leaves a final state, in any sequence of events', () => {
    const walk = fc.array(fc.constantFrom(...events), { maxLength: 60 })
    fc.assert(
      fc.property(fc.constantFrom(...states), walk, (start, steps) => {
        let state = start
        let ended: string | null = null
        for (const event of steps) {
          const next = transition(table, state, event)
          if (ended !== null) expect(next).toBeNull()
          state = next ?? state
          if (isEnd(table, state)) ended ??= state
          if (ended !== null) expect(state).toBe(ended)
        }
      }),
    )
  })
})

test('an event named like a property of objects is refused', () => {
  for (const event of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    expect(transition<string, string>(runTransitions, 'running', event)).toBeNull()
  }
})

// Rules: product.md 7
test('of several events that race for a request, the first final one wins and all later ones are refused', () => {
  const terminal = { approve: 'approved', deny: 'denied', expire: 'expired', cancel: 'cancelled' }
  const events = fc.constantFrom(
    ...(['count', 'revise', 'approve', 'deny', 'expire', 'cancel'] as const),
  )
  fc.assert(
    fc.property(fc.array(events, { maxLength: 30 }), (race) => {
      let state: keyof typeof requestTransitions = 'pending'
      for (const event of race) state = transition(requestTransitions, state, event) ?? state
      const first = race.find((event) => Object.hasOwn(terminal, event))
      const expected = first === undefined ? 'pending' : terminal[first as keyof typeof terminal]
      expect(state).toBe(expected)
    }),
  )
})
