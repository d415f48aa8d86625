import { expect, test } from 'vitest'
import type { RequestDetailRecord } from '#services/requests/facts/request-record.ts'
import { whyOnPage } from './slack-modal.ts'

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

test('what was asked before a restore, is of high risk or holds a secret is decided on its page', () => {
  expect(whyOnPage(record())).toBeNull()
  expect(whyOnPage(record({ askedBeforeRestore: true }))).toContain('may have been carried out')
  expect(whyOnPage(record({ risk: 'high' }))).toContain('decided on its page')
  const title = `Post ghp_${'a'.repeat(36)}`
  expect(whyOnPage(record({ title }))).toContain('looks like a secret')
})
