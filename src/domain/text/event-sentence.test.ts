import { expect, test } from 'vitest'
import { auditEventTypes } from '../audit-event.ts'
import {
  eventSentence,
  noSubjects,
  type AuditSubjects,
  type EventFields,
} from './event-sentence.ts'

const about: AuditSubjects = {
  requests: [{ id: 'r', number: 45, kind: 'tool_call', effect: 'Edit docs/pricing.md' }],
  runs: [{ id: 'run', number: 7, worker: 'scribe' }],
  calls: [{ id: 'call', tool: 'read_file' }],
  words: [{ hash: 'sha256:1', text: 'wrong price **x**' }],
}
const grace = { type: 'person', name: 'Grace' } as const

function sentenceOf(
  event: Omit<EventFields, 'actor'> & Partial<EventFields>,
  subjects = about,
): string {
  const parts = eventSentence({ actor: grace, ...event }, subjects)
  return parts.map(({ as, text }) => (as === 'verb' ? `*${text}*` : text)).join(' ')
}

test('the sentence of a decision says who decided what, how far it reaches, and with which reason', () => {
  const deny = { decision: 'deny', then: 'stop', reason: 'sha256:1' }
  const event = { type: 'decision.recorded', requestId: 'r', detail: deny } as const
  expect(sentenceOf(event)).toBe(
    'Grace *denied* #45 Edit docs/pricing.md and stopped the run wrong price **x**',
  )
  const approve = { decision: 'approve', scope: 'run', edited: true, reason: null, signature: {} }
  expect(sentenceOf({ ...event, detail: approve })).toBe(
    'Grace *approved* #45 Edit docs/pricing.md for the run, with changes of their own, signed with a passkey',
  )
})

test('the sentence of a request names its run, or else its program', () => {
  const opened = { type: 'request.opened', requestId: 'r', detail: {} } as const
  expect(sentenceOf({ ...opened, runId: 'run' })).toBe(
    'Run 7 of scribe *asked for approval of* #45 Edit docs/pricing.md',
  )
  const program = { type: 'machine', name: 'deploys' } as const
  expect(sentenceOf({ ...opened, actor: program })).toBe(
    'deploys *asked for approval of* #45 Edit docs/pricing.md',
  )
  expect(sentenceOf({ ...opened, runId: 'run' }, { ...about, requests: [] })).toBe(
    'Run 7 of scribe *asked for approval of* a request',
  )
})

test('the sentence of an outcome check names who opened it, which is not its run', () => {
  const check = {
    id: 'r',
    number: 45,
    effect: 'Edit docs/pricing.md',
    kind: 'outcome_check',
  } as const
  const opened = { type: 'request.opened', requestId: 'r', runId: 'run', detail: {} } as const
  const system = { type: 'system', name: 'Countersign' } as const
  expect(sentenceOf({ ...opened, actor: system }, { ...about, requests: [check] })).toMatch(
    /\*opened\* #45/,
  )
})

test('words of people are separate parts, so that none of them is taken for the service’s own', () => {
  const detail = { decision: 'deny', reason: 'sha256:1' }
  const parts = eventSentence(
    { type: 'decision.recorded', actor: grace, requestId: 'r', detail },
    about,
  )
  expect(parts.at(-1)).toEqual({ as: 'words', text: 'wrong price **x**' })
})

test('without erased words, and without requests that the page does not name, the sentence is still true', () => {
  const detail = { decision: 'deny', reason: 'sha256:1' }
  expect(sentenceOf({ type: 'decision.recorded', requestId: 'r', detail }, noSubjects)).toBe(
    'Grace *denied* a request',
  )
})

test('a sentence that begins with a run begins with a capital, and one that begins with a tool with its name', () => {
  const ended = { type: 'run.ended', runId: 'run', detail: { state: 'completed' } } as const
  expect(sentenceOf(ended)).toBe('Run 7 of scribe *ended* (completed)')
  const began = { type: 'execution.started', runId: 'run', callId: 'call', detail: {} } as const
  expect(sentenceOf(began)).toBe('read_file of run 7 of scribe *began to run*')
})

test('times of a schedule that were missed together are one sentence with their number', () => {
  const detail = { schedule: 'nightly', at: '2026-01-01T00:00:00Z', why: 'missed' }
  const actor = { type: 'system' } as const
  const sentence = 'The service *started no run* (nightly, missed)'
  expect(sentenceOf({ type: 'schedule.skipped', actor, detail })).toBe(sentence)
  const many = { ...detail, count: 3, lastAt: '2026-01-01T00:02:00Z' }
  expect(sentenceOf({ type: 'schedule.skipped', actor, detail: many })).toBe(
    'The service *started no run* at 3 times (nightly, missed)',
  )
})

test.each([
  ['zone:notes_1.write', 'by the rule for writing in zone notes_1'],
  ['zone:a.b.read', 'by the rule for reading in zone a.b'],
  ['overlay:2', 'by overlay 2'],
  ['shell:git push', 'by the rule for commands like “git push”'],
  ['shell:unclear', 'because not all of the command is understood'],
  ['start:worker', 'because the start of that worker needs approval'],
  ['routing:none', 'because no queue takes it'],
  ['tool:call_worker:made', 'by the rule for the tool call_worker'],
  ['protected:.env', 'because .env is protected'],
  ['default:ask', 'because no rule covers it'],
  ['unchanged', 'because it changes nothing'],
  ['mode:approve_all', 'by the mode “Approve all”'],
  ['grant:01a222a5-098e-7f22-8847-1bd8de16f853', 'by a remembered approval'],
  ['later:kind', 'by later:kind'],
  ['constructor', 'by constructor'],
])('a verdict names its tool unchanged, and the rule %s in words', (rule, words) => {
  const detail = { verdict: 'ask', tool: 'write_file', rule }
  expect(sentenceOf({ type: 'call.judged', runId: 'run', callId: 'call', detail })).toBe(
    `Policy *asked people about* write_file of run 7 of scribe ${words}`,
  )
})

test.each(auditEventTypes)('%s has a sentence with a verb, whatever is in its detail', (type) => {
  for (const detail of [{}, { what: 7, state: ['a', null], verdict: {}, decision: [] }]) {
    const parts = eventSentence({ type, actor: { type: 'system' }, detail }, noSubjects)
    expect(parts.filter(({ as }) => as === 'verb')).toHaveLength(1)
    expect(parts.every(({ text }) => text !== '')).toBe(true)
  }
})
