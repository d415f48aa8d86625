import { expect, test } from 'vitest'
import type { RequestDetailRecord } from '#services/requests/facts/request-record.ts'
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
})

// Rules: security.md 18, 20
test('the modal begins with the task of a person, masked and as text; data of a trigger is no task', () => {
  const shown = {
    id: '0199aaaa-0000-7000-8000-000000000001',
    number: 142,
    revision: 1,
    digest: `sha256:${'1'.repeat(64)}`,
    worker: 'scribe',
    external: null,
    lineage: [],
    rule: { id: 'r', text: 'asks', source: null },
    queue: 'platform',
    quorum: { text: '1 of platform' },
    agentReason: null,
    expiresAt: new Date('2026-11-25T10:00:00Z'),
  } as unknown as Partial<RequestDetailRecord>
  const text = `<!channel> *now*\u202E with ghp_${'a'.repeat(36)}`
  const task = {
    text,
    by: { id: 'a', name: 'Ada' },
    at: new Date('2026-11-22T10:00:00Z'),
    later: 0,
  }
  const first = (more: Partial<RequestDetailRecord>) =>
    decisionModal(record({ ...shown, ...more }), 'https://c.example.com').blocks[0]
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
