import { expect, onTestFinished, test, vi } from 'vitest'
import { executionSentence } from '#domain/requests/execution-sentence.ts'
import type { DecisionAnswer } from '#api/schemas/requests/decisions.ts'
import { ApiRefusal } from '../../../api/call-api.ts'
import { refusalWords } from './refusal-words.ts'
import { sentenceNow } from './sentence-now.ts'
import { stageSentence, type CallNow } from './stage-sentence.ts'
import { outcomeOf, outcomeWithEffect, toneOfEffect, whyNotYours } from '../../facts/state-words.ts'

const quorum = {
  required: [{ team: 'platform', count: 2 }],
  counted: [{ team: 'platform', person: { id: 'p', name: 'Ilya' } }],
  missing: [{ team: 'platform', count: 1 }],
  text: '2 of platform',
}
const waiting = {
  execution: { state: 'not_started' },
  kind: 'tool_call',
  batch: null,
  runState: 'waiting_for_approval',
  permit: null,
} as const
const answer = (state: DecisionAnswer['state'], stage: DecisionAnswer['stage']) => ({
  state,
  stage,
  quorum,
})

test('an approval that was revoked does not read as carried out', () => {
  const taken = { state: 'approved', kind: 'tool_call', permit: 'revoked' } as const
  expect(executionSentence({ state: 'refused', reason: 'revoked' }, taken)).toBe(
    'It was not carried out: the approval was revoked.',
  )
})

const goesOn = 'Recorded. The run goes on.'
const soon = 'Recorded. The run has the decision, and goes on as soon as it can.'
const workerAway = 'Recorded. It will go on when a Temporal worker is back.'
const sibling = (more: object): NonNullable<CallNow['batch']>['siblings'][number] => ({
  callId: 'c',
  tool: 'write_file',
  title: 'Create a file',
  verdict: 'ask',
  requestId: 'r',
  state: 'approved',
  finished: true,
  ...more,
})
const second = (first: object): CallNow => ({
  ...waiting,
  batch: { position: 2, size: 2, finished: false, otherRequests: 0, siblings: [sibling(first)] },
})

test('a decision that Temporal does not know of is not said to make the run go on', () => {
  for (const decided of ['approve', 'deny', 'stop'] as const) {
    expect(stageSentence(answer('approved', 'recorded'), decided, waiting, true)).toBe(
      'Recorded. The run gets the decision as soon as Temporal can be reached.',
    )
  }
})

test('the run is said to go on only once it does, and to wait for a worker only after the call has waited some seconds for one', () => {
  const reply = answer('approved', 'delivered')
  expect(stageSentence(reply, 'approve', waiting, false)).toBe(soon)
  expect(stageSentence(reply, 'deny', waiting, false)).toBe(soon)
  expect(stageSentence(reply, 'approve', waiting, true)).toBe(workerAway)
  expect(stageSentence(reply, 'deny', waiting, true)).toBe(workerAway)
  const finished = {
    ...waiting,
    batch: { position: 1, size: 1, finished: true, otherRequests: 0, siblings: [] },
  }
  expect(stageSentence(reply, 'deny', finished, true)).toBe(goesOn)
  expect(stageSentence(answer('approved', 'succeeded'), 'approve', waiting, true)).toBe(goesOn)
})

test('an approval that was revoked since is not said to make the run go on', () => {
  const revoked = { ...waiting, permit: 'revoked' } as const
  for (const stage of ['recorded', 'delivered', 'refused'] as const) {
    expect(stageSentence(answer('approved', stage), 'approve', revoked, true)).toBe(
      'Recorded. The approval was revoked since, and nothing is carried out.',
    )
  }
})

test('the sentence changes when the page receives the execution later', () => {
  const started = { ...waiting, execution: { state: 'started' } } as const
  expect(stageSentence(answer('approved', 'recorded'), 'approve', started, true)).toBe(goesOn)
})

test('a call behind an earlier one of its turn is said to wait for that one, not for a worker', () => {
  const reply = answer('approved', 'delivered')
  const check = second({ state: 'pending', finished: false })
  expect(stageSentence(reply, 'approve', check, true)).toBe(
    'Recorded. It is carried out after an earlier call of its turn, which still waits for a decision.',
  )
  expect(stageSentence(reply, 'deny', second({ finished: false }), true)).toBe(
    'Recorded. The run goes on after an earlier call of its turn.',
  )
  expect(stageSentence(reply, 'approve', second({}), false)).toBe(soon)
})

test('a denial while another call of the turn is open does not make the run go on yet', () => {
  const later = sibling({ state: 'pending', finished: false })
  const first = {
    ...waiting,
    batch: { position: 1, size: 2, finished: true, otherRequests: 0, siblings: [later] },
  }
  expect(stageSentence(answer('denied', 'delivered'), 'deny', first, false)).toBe(
    'Recorded. The run goes on after another call of its turn, which still waits for a decision.',
  )
})

test('after a denial that stops the run, the sentence does not say that the run continues', () => {
  expect(stageSentence(answer('denied', 'delivered'), 'stop', waiting, false)).toBe(
    'Recorded. The run waits for a message.',
  )
})

test('where the request cannot be read again, the sentence still says whether the decision was the last one', async () => {
  const detail = 'You may not see it'
  vi.stubGlobal('fetch', async () =>
    Response.json(
      { type: 'about:blank', title: detail, status: 404, code: 'not_found', detail },
      { status: 404 },
    ),
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  const sentence = (state: DecisionAnswer['state'], decided: 'approve' | 'deny') =>
    sentenceNow(
      {
        ...answer(state, 'recorded'),
        requestId: 'r',
        decisionId: 'd',
        execution: waiting.execution,
      },
      decided,
    )
  expect(await sentence('pending', 'approve')).toBe('Recorded. It still needs 1 of platform.')
  expect(await sentence('approved', 'approve')).toBe('Recorded. It is approved.')
  expect(await sentence('denied', 'deny')).toBe('Recorded. It is denied.')
})

test('a vote that is not the last one says what is missing', () => {
  expect(stageSentence(answer('pending', 'recorded'), 'approve', waiting, false)).toBe(
    'Recorded. It still needs 1 of platform.',
  )
})

const clock = (): string => '14:06'
const refusal = (code: ApiRefusal['code'], facts: Record<string, unknown> = {}): ApiRefusal =>
  new ApiRefusal(409, code, 'The detail.', facts)

test('a person whose decision came second reads the first decision, its reason and time, and that their own was not recorded', () => {
  const facts = {
    state: 'denied',
    decidedBy: { name: 'Ilya' },
    decidedAt: '2026-01-01T00:00:00Z',
    reason: 'wrong account',
  }
  expect(refusalWords(refusal('already_decided', facts), 'approval', clock)).toEqual({
    title: 'Already denied by Ilya at 14:06',
    text: '“wrong account” Your approval was not recorded.',
    reload: true,
  })
})

test('a person who may not settle an outcome check reads that the finding was not recorded', () => {
  const message = "you can't settle: you are not in platform"
  const words = refusalWords(new ApiRefusal(403, 'not_eligible', message, {}), 'finding', clock)
  expect(words).toMatchObject({
    title: 'Your finding was not recorded.',
    text: "You can't settle: you are not in platform.",
  })
})

test('a person who may not decide reads that the decision was not recorded, and why, as a sentence', () => {
  const refused = new ApiRefusal(403, 'not_eligible', "you can't decide: you edited this call", {})
  expect(refusalWords(refused, 'approval', clock)).toEqual({
    title: 'Your approval was not recorded.',
    text: "You can't decide: you edited this call.",
    reload: true,
  })
})

test('without an answer of the service, the sentence does not say whether the decision was recorded', () => {
  const words = refusalWords(refusal('network'), 'denial', clock)
  expect(words.text).toContain('may or may not')
  expect(words.reload).toBe(false)
})

test('the result of a request names who ended it, or the reason', () => {
  const base = { kind: 'tool_call', decidedBy: null, cancelReason: null } as const
  expect(outcomeOf({ ...base, state: 'denied', decidedBy: { id: '1', name: 'Ilya' } })).toBe(
    'Denied by Ilya',
  )
  expect(outcomeOf({ ...base, state: 'cancelled', cancelReason: 'run_cancelled' })).toBe(
    'Cancelled: its run was cancelled',
  )
  const answered = { kind: 'question', decidedBy: { id: '1', name: 'Ilya' } } as const
  expect(outcomeOf({ ...base, ...answered, state: 'approved' })).toBe('Answered by Ilya')
  expect(executionSentence({ state: 'not_started' }, { ...answered, state: 'approved' })).toBeNull()
})

test('the sentence for an outcome check does not speak of approval, unless the call is to be carried out again', () => {
  const check = {
    kind: 'outcome_check',
    decidedBy: { id: '1', name: 'Ilya' },
    cancelReason: null,
  } as const
  for (const state of ['approved', 'denied'] as const) {
    expect(outcomeOf({ ...check, state })).toBe('Settled by Ilya')
  }
  const settled = { ...check, state: 'approved' } as const
  expect(executionSentence({ state: 'not_started' }, { ...settled, permit: null })).toBeNull()
  expect(executionSentence({ state: 'not_started' }, { ...settled, permit: 'live' })).toBe(
    'Approved, not yet carried out.',
  )
})

test.each([
  ['succeeded', 'A person found that it took effect.'],
  ['failed', 'A person found that it did not take effect.'],
  ['unknown', 'It was started, and a person who checked could not tell whether it took effect.'],
] as const)('a call that a person settled as %s says who knows that: %s', (state, words) => {
  const request = { state: 'approved', kind: 'tool_call' } as const
  expect(executionSentence({ state, reason: 'settled' }, request)).toBe(words)
})

// Rules: product.md 47
test.each([
  ['started', 'by_service', 'It is being carried out now.'],
  ['started', undefined, 'The program took its permit, and has not reported an outcome.'],
  [
    'refused',
    'unused',
    'It was not carried out: the approval lapsed before the service could make the call.',
  ],
  ['refused', 'lapsed', 'The program did not take its permit before it lapsed.'],
] as const)('a program’s call that is %s (%s) says who makes it: %s', (state, reason, words) => {
  const request = { state: 'approved', kind: 'external' } as const
  expect(executionSentence({ state, reason }, request)).toBe(words)
})

test('an approved call that did not run is not said to have run', () => {
  expect(
    executionSentence({ state: 'not_started' }, { state: 'approved', kind: 'tool_call' }),
  ).toBe('Approved, not yet carried out.')
  expect(
    executionSentence(
      { state: 'refused', reason: 'stale' },
      { state: 'approved', kind: 'tool_call' },
    ),
  ).toContain('was not carried out')
  expect(
    executionSentence({ state: 'not_started' }, { state: 'pending', kind: 'tool_call' }),
  ).toBeNull()
})

test('the reason why a person cannot decide is given once, with the verb of the kind', () => {
  const sentence = "You can't decide: you started this run"
  expect(whyNotYours('you started this run', 'decide')).toBe(sentence)
  expect(whyNotYours("you can't decide: you started this run.", 'decide')).toBe(sentence)
  expect(whyNotYours("you can't answer: you are not in platform", 'answer')).toBe(
    "You can't answer: you are not in platform",
  )
})

test('an exit code is shown wherever an outcome is, and an unknown or failed outcome is never green', () => {
  const item = {
    state: 'approved',
    kind: 'tool_call',
    decidedBy: { id: 'p', name: 'Ilya' },
    cancelReason: null,
  } as const
  const words = (execution: Parameters<typeof toneOfEffect>[0]): string =>
    `${outcomeWithEffect({ ...item, execution })} (${toneOfEffect(execution)})`
  expect(words({ state: 'succeeded', exitCode: 0 })).toBe(
    'Approved by Ilya, ended with exit code 0 (good)',
  )
  expect(words({ state: 'succeeded', exitCode: 128 })).toBe(
    'Approved by Ilya, ended with exit code 128 (plain)',
  )
  expect(words({ state: 'succeeded' })).toBe('Approved by Ilya, carried out (good)')
  expect(words({ state: 'failed' })).toBe('Approved by Ilya, failed (bad)')
  expect(words({ state: 'unknown' })).toBe('Approved by Ilya, outcome unknown (bad)')
  expect(words({ state: 'refused' })).toBe('Approved by Ilya, not carried out (plain)')
  expect(
    executionSentence(
      { state: 'succeeded', exitCode: 128 },
      { state: 'approved', kind: 'tool_call' },
    ),
  ).toBe('It ran and ended with exit code 128, with which most programs report a failure.')
})

// Rules: product.md 23
test('an approved part of a delegation waits for the other parts, and for a worker once all are approved', () => {
  const reply = answer('approved', 'delivered')
  const part = (kind: CallNow['kind'], otherRequests: number): CallNow => ({
    ...waiting,
    kind,
    batch: { position: 1, size: 1, finished: false, otherRequests, siblings: [] },
  })
  expect(stageSentence(reply, 'approve', part('tool_call', 1), true)).toBe(
    'Recorded. It is carried out when the other request of its delegation is approved too.',
  )
  expect(stageSentence(reply, 'approve', part('attachment', 2), true)).toBe(
    'Recorded. It is handed over when the 2 other requests of its delegation are approved too.',
  )
  expect(stageSentence(reply, 'approve', part('tool_call', 0), true)).toBe(workerAway)
  expect(stageSentence(reply, 'deny', part('attachment', 1), false)).toBe(soon)
  const last = part('attachment', 0)
  expect(stageSentence(reply, 'approve', { ...last, permit: 'live' }, true)).toBe(workerAway)
  const handedOver = { ...last, execution: { state: 'succeeded' } } as const
  expect(stageSentence(reply, 'approve', handedOver, true)).toBe(goesOn)
})

test('a run that has ended, or waits for a message after the call, is not said to go on', () => {
  const reply = answer('approved', 'delivered')
  const now = (runState: CallNow['runState'], more: object = {}): CallNow => ({
    ...waiting,
    runState,
    ...more,
  })
  for (const decided of ['approve', 'deny', 'stop'] as const) {
    expect(stageSentence(reply, decided, now('cancelled'), true)).toBe(
      'Recorded. The run was cancelled.',
    )
    expect(stageSentence(reply, decided, now('failed'), true)).toBe('Recorded. The run has failed.')
  }
  const carriedOut = { execution: { state: 'succeeded' } }
  expect(stageSentence(reply, 'approve', now('completed', carriedOut), true)).toBe(
    'Recorded. The run has completed.',
  )
  expect(stageSentence(reply, 'approve', now('waiting_for_input', carriedOut), true)).toBe(
    'Recorded. The run waits for a message.',
  )
  expect(stageSentence(reply, 'approve', now('running', carriedOut), true)).toBe(goesOn)
})
