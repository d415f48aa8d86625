import { expect, it } from 'vitest'
import { partsOf, refusedBySlack } from './block-limits.fixture.ts'
import type { SlackRequest } from './read-slack-request.ts'
import { slackMessage, slackReminder } from './slack-message.ts'
import { escapeText, plainText } from './slack-text.ts'

const task = { by: 'Ada', at: new Date('2026-11-22T10:00:00Z'), text: 'Write the notes' }
const request: SlackRequest = {
  id: '0199aaaa-0000-7000-8000-000000000001',
  number: '142',
  kind: 'tool_call',
  state: 'pending',
  revision: 1,
  queue: 'platform',
  risk: 'medium',
  tool: 'write_file',
  title: 'Write "notes/plan.md"',
  expires_at: new Date('2026-11-25T10:00:00Z'),
  worker: 'scribe',
  cancel_reason: null,
  decided_by: null,
  decided_at: null,
  starter: 'Ada',
  task,
  cues: ['downloads_and_runs'],
}
const hostile =
  'Write "<!channel> <@U123> <https://evil.example|the docs> @here *bold* &amp; \u202Etxt.exe"'

// Rules: security.md 18
it('shows hostile text as text: no markup has an effect, and invisible characters are named', () => {
  const posts = [
    slackMessage(
      { ...request, title: hostile, task: null, starter: hostile },
      'https://c.example.com',
    ),
    slackMessage(
      { ...request, task: { ...task, by: hostile, text: hostile } },
      'https://c.example.com',
    ),
    slackMessage({ ...request, state: 'approved', decided_by: hostile }, 'https://c.example.com'),
    slackReminder({ ...request, title: hostile }, 'request.escalated'),
  ]
  for (const { text, blocks } of posts) {
    expect(text).not.toMatch(/[<>]/)
    expect(partsOf(blocks).filter(({ type }) => type === 'mrkdwn')).toEqual([])
    for (const { url } of partsOf(blocks)) {
      if (url !== undefined) expect(url).toBe(`https://c.example.com/requests/${request.id}`)
    }
  }
  for (const post of [posts[0], posts[1]]) {
    expect(JSON.stringify(post)).toContain('[U+202E RIGHT-TO-LEFT OVERRIDE]txt.exe')
  }
  expect(escapeText('<!channel> & <@U1>')).toBe('&lt;!channel&gt; &amp; &lt;@U1&gt;')
})

// Rules: security.md 20
it('masks values that look like secrets', () => {
  const title = 'Write "password=correct-horse-battery.md"'
  const text = JSON.stringify(slackMessage({ ...request, title }, 'https://c.example.com'))
  expect(text).not.toContain('correct-horse')
})

it('says of a high-risk request only that it waits, and offers only the page', () => {
  const { blocks } = slackMessage({ ...request, risk: 'high' }, 'https://c.example.com')
  const text = JSON.stringify(blocks)
  expect(text).toContain('A high-risk call of write_file waits')
  expect(text).not.toContain('plan.md')
  expect(text).not.toContain('countersign_open')
})

it('says in words why a request was cancelled', () => {
  const cancelled = { ...request, state: 'cancelled', cancel_reason: 'run_failed' } as const
  const text = JSON.stringify(slackMessage(cancelled, 'https://c.example.com'))
  expect(text).toContain('Cancelled: its run failed')
})

it.each(['question', 'outcome_check'] as const)(
  'offers only the page for a request of kind %s',
  (kind) => {
    const { blocks } = slackMessage({ ...request, kind }, 'https://c.example.com')
    expect(JSON.stringify(blocks)).not.toContain('countersign_open')
  },
)

it('says how the request ended and by whom, and has no button then', () => {
  const closed = { ...request, state: 'denied', decided_by: 'Grace' }
  const text = JSON.stringify(slackMessage(closed, 'https://c.example.com'))
  expect(text).toContain('Denied by Grace')
  expect(text).not.toContain('countersign_open')
})

it('stays within Slack’s limits: no text is empty or too long', () => {
  expect(plainText('x'.repeat(5000)).text).toHaveLength(3000)
  expect(plainText(' ').text).toBe('–')
  const long = '😀'.repeat(5000)
  for (const state of ['pending', 'approved']) {
    const of = { ...request, state, title: long, queue: long, worker: long, decided_by: long }
    const { blocks } = slackMessage(
      { ...of, task: { ...task, text: long } },
      'https://c.example.com',
    )
    expect(refusedBySlack(blocks)).toEqual([])
  }
})

it('is the card of a request: its task and author, its effect, the facts, and its cues', () => {
  const { blocks } = slackMessage(request, 'https://c.example.com')
  const texts = partsOf(blocks).flatMap(({ type, text }) => (type === 'plain_text' ? [text] : []))
  expect(texts).toEqual([
    'Task of Ada, 2026-11-22 10:00 UTC: Write the notes',
    'Write "notes/plan.md"',
    '#142 · queue platform · medium risk · scribe · until 2026-11-25 10:00 UTC',
    'Attention: downloads something and runs it',
    'Look and decide',
    'Open the page',
  ])
})

// Rules: security.md 20
it('notifies with the effect, masked and as one line, and at high risk with the tool alone', () => {
  const textOf = (more: Partial<SlackRequest>): string =>
    slackMessage({ ...request, ...more }, 'https://c.example.com').text
  expect(textOf({ title: 'Edit notes/a.md (+4 −1)' })).toBe(
    'Request #142 in platform waits: Edit notes/a.md: 4 lines added, 1 line removed',
  )
  expect(textOf({ state: 'denied' })).toBe('Request #142 in platform denied: Write "notes/plan.md"')
  expect(textOf({ risk: 'high' })).toBe(
    'Request #142 in platform waits: a high-risk call of write_file',
  )
  expect(textOf({ kind: 'outcome_check', risk: 'high' })).toBe(
    'Request #142 in platform waits: Did a call of write_file take effect? Somebody must check',
  )
  expect(textOf({ title: 'Write "password=correct-horse-battery.md"' })).not.toContain('correct')
  expect(textOf({ title: 'Write\nApproved' })).not.toContain('\n')
  expect(slackReminder(request, 'request.escalated').text).toBe(
    'Request #142 still waits: more people may decide it now. Write "notes/plan.md"',
  )
})
