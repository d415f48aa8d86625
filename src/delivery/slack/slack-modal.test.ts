import { expect, test } from 'vitest'
import type { RequestDetailRecord } from '#services/requests/facts/request-record.ts'
import { partsOf, refusedBySlack } from './block-limits.fixture.ts'
import { decisionModal, whyOnPage } from './slack-modal.ts'

/** What a person may decide in Slack; no other member is read. */
function record(more: Partial<RequestDetailRecord> = {}): RequestDetailRecord {
  const inSlack: Partial<RequestDetailRecord> = {
    state: 'pending',
    kind: 'tool_call',
    risk: 'medium',
    title: 'Create notes/a.md',
    eligibility: { canDecide: true, reason: null },
    askedBeforeRestore: false,
    namedFiles: [],
    presentation: {
      type: 'text',
      language: null,
      content: 'hello\n',
      truncated: false,
      totalLines: 1,
      totalBytes: 6,
      metadata: {},
      warnings: [],
      digest: `sha256:${'0'.repeat(64)}`,
    },
  }
  return { ...inSlack, ...more } as RequestDetailRecord
}

test('a request from before a restore, of high risk, or with a secret is decided on its page', () => {
  expect(whyOnPage(record())).toBeNull()
  expect(whyOnPage(record({ askedBeforeRestore: true }))).toContain('may have been carried out')
  expect(whyOnPage(record({ risk: 'high' }))).toContain('decided on its page')
  const title = `Post ghp_${'a'.repeat(36)}`
  expect(whyOnPage(record({ title }))).toContain('looks like a secret')
  expect(whyOnPage(record({ title: 'Post ghp_aaaa…' }))).toContain('looks like a secret')
})

test('a whole content with an ellipsis where a secret could begin is decided in Slack', () => {
  const { presentation } = record()
  const content = '"password": "Enter…"\n'
  expect(whyOnPage(record({ presentation: { ...presentation, content } }))).toBeNull()
})

// Rules: product.md 26; security.md 20
test('the fields of a call are lines of text, and none is sent with a secret', () => {
  const { presentation } = record()
  const withFields = (value: object) => {
    const content = `${JSON.stringify(value, null, 2)}\n`
    const structured = { ...presentation, type: 'structured', content } as const
    return { ...record(modalFacts), presentation: structured }
  }
  const request = withFields({ amount_cents: 12990, currency: 'EUR', note: 'a\nAmount: 1' })
  expect(whyOnPage(request)).toBeNull()
  const text = JSON.stringify(decisionModal(request, 'https://c.example'))
  expect(text).toContain(
    String.raw`Amount [amount_cents]: 129.90 EUR (12990)\nCurrency: EUR\nNote:\n`,
  )
  expect(text).not.toContain('{\\n')
  expect(whyOnPage(withFields({ password: 'correct-horse' }))).toContain('looks like a secret')
  // Only its own lines look like one: in the JSON the quote is escaped.
  const note = 'first\nexport PASSWORD="correct-horse"\n'
  expect(whyOnPage(withFields({ note }))).toContain('looks like a secret')
})

/** The further members that a modal shows. */
const modalFacts = {
  id: '0199aaaa-0000-7000-8000-000000000001',
  number: 142,
  revision: 1,
  digest: `sha256:${'1'.repeat(64)}`,
  worker: 'scribe',
  task: null,
  cues: [],
  alike: { same: [], similar: [], hidden: 0, again: 0 },
  external: null,
  lineage: [],
  rule: { id: 'r', text: 'asks', source: null },
  queue: 'platform',
  quorum: { text: '1 of platform' },
  agentReason: null,
  expiresAt: new Date('2026-11-25T10:00:00Z'),
} as unknown as Partial<RequestDetailRecord>

function modalOf(more: Partial<RequestDetailRecord>) {
  return decisionModal(record({ ...modalFacts, ...more }), 'https://c.example.com')
}

function textsOf(more: Partial<RequestDetailRecord>): unknown[] {
  return partsOf(modalOf(more).blocks)
    .filter(({ type }) => type === 'plain_text' || type === 'text')
    .map(({ text }) => text)
}

// Rules: security.md 18, 20
test('the modal begins with the task of a person, masked and as text; data of a trigger is no task', () => {
  const text = `<!channel> *now*\u202E with ghp_${'a'.repeat(36)}`
  const task = {
    text,
    by: { id: 'a', name: 'Ada' },
    at: new Date('2026-11-22T10:00:00Z'),
    later: 0,
  }
  const first = (more: Partial<RequestDetailRecord>) => modalOf(more).blocks[0]
  expect(first({ task })).toMatchObject({
    elements: [
      {
        type: 'plain_text',
        text: expect.stringMatching(
          /^Task of Ada, 2026-11-22 10:00 UTC: <!channel> \*now\*\[U\+202E .*\] with \[GitHub token, 40/,
        ),
      },
    ],
  })
  for (const one of [{ ...task, by: null }, null]) {
    expect(first({ task: one })).toMatchObject({ text: { text: 'Create notes/a.md' } })
  }
})

test('the modal says what deserves attention and what became of the same call, before the content', () => {
  const same = [
    { number: 26, state: 'approved', execution: { state: 'succeeded' }, decidedBy: 'Grace' },
    { number: 30, state: 'pending', execution: { state: 'not_started' }, decidedBy: null },
  ]
  const texts = textsOf({
    title: 'Create notes/a.md (+1)',
    cues: [{ id: 'touches_ci', level: 'notice', text: 'Edits .ci/run' }],
    alike: { same, similar: [], hidden: 0, again: 1 } as unknown as RequestDetailRecord['alike'],
  })
  expect(texts.slice(0, 5)).toEqual([
    'Create notes/a.md: 1 line added',
    'Attention: touches continuous integration',
    'This very call was carried out once before',
    'The same call: #26 (carried out, approved by Grace), #30 (waits too)',
    'hello\n',
  ])
})

test('the modal quotes the name of a program, which others chose, and says for whom it acts', () => {
  const external = {
    key: { id: 'k', name: 'deployer, run by the security team' },
    owner: { id: 'a', name: 'Ada' },
    onBehalfOf: { id: 'l', name: 'Lin' },
  } as NonNullable<RequestDetailRecord['external']>
  const modal = decisionModal(record({ ...modalFacts, external }), 'https://c.example')
  expect(JSON.stringify(modal.blocks)).toContain(
    "Requested by: Ada's program “deployer, run by the security team”, on behalf of Lin",
  )
})

test('deny is the first choice, and none is chosen', () => {
  const [radio] = partsOf(modalOf({})).filter(({ type }) => type === 'radio_buttons')
  expect(radio).toMatchObject({ options: [{ value: 'deny' }, { value: 'approve' }] })
  expect(radio).not.toHaveProperty('initial_option')
})

// Rules: security.md 20
test('what looks like a secret in the words of the agent is masked', () => {
  const text = JSON.stringify(textsOf({ agentReason: `I use ghp_${'a'.repeat(36)}` }))
  expect(text).toContain('I use [GitHub token, 40 characters')
})

test('a modal is within Slack’s limits and shows all of its content, without cutting a character', () => {
  const { presentation } = record()
  const long = `a${'😀'.repeat(2200)}\n${'line\n'.repeat(800)}`
  const texts = {
    title: long,
    agentReason: long,
    queue: long,
    presentation: { ...presentation, content: long, warnings: Array(20).fill(long) },
  }
  expect(whyOnPage(record(texts))).toBeNull()
  const warnings = Array<string>(21).fill('Look')
  expect(whyOnPage(record({ presentation: { ...presentation, warnings } }))).toContain('too long')
  const modal = modalOf(texts)
  expect(refusedBySlack(modal)).toEqual([])
  const content = partsOf(modal.blocks).filter(({ type }) => type === 'text')
  expect(content.map(({ text }) => text).join('')).toBe(long)
})
