import type { RequestDetail } from '#api/schemas/requests/requests.ts'

const hash = `sha256:${'0'.repeat(64)}`

/** A request as the service answers it; a test says what is different. */
export function requestWith(more: Partial<RequestDetail> = {}): RequestDetail {
  const request: Partial<RequestDetail> = {
    id: '01a200d3-16cc-7024-9469-ffbc717fd42f',
    number: 12,
    revision: 1,
    state: 'pending',
    kind: 'tool_call',
    queue: 'platform',
    risk: 'medium',
    tool: 'write_file',
    title: 'Create notes/a.md (+1)',
    effect: 'Create notes/a.md with 1 line',
    cues: [],
    task: {
      text: 'Write the notes',
      by: { id: 'a', name: 'Ada' },
      at: '2026-01-01T00:00:00.000Z',
      later: 0,
    },
    claimedTask: null,
    routing: {
      queue: { value: 'platform', text: 'configured', source: 'countersign.yaml:9' },
      risk: { value: 'medium', text: 'default', source: null },
      quorum: { value: '1 of platform', text: 'default', source: null },
    },
    input: { path: 'notes/a.md', content: 'hello\n' },
    digest: hash,
    rule: { id: 'zone:notes.write', text: 'zone notes: write asks', source: 'workers/w.md:6' },
    worker: 'w',
    invokedBy: null,
    agentReason: null,
    facts: {},
    batch: null,
    namedFiles: [],
    lineage: [{ runId: 'r', worker: 'w', startedBy: { id: 'ada', name: 'Ada' } }],
    presentation: presentationWith('hello\n'),
    quorum: { required: [], counted: [], missing: [], text: '1 of platform' },
    steps: [],
    missingAfterEdit: [],
    external: null,
    decisions: [],
    eligibility: { canDecide: true, reason: null },
    execution: { state: 'not_started' },
    alike: { same: [], similar: [], hidden: 0, again: 0 },
    expiresAt: '2099-01-01T00:00:00.000Z',
    ...more,
  }
  return whole(request)
}

export function presentationWith(
  content: string,
  more: Partial<RequestDetail['presentation']> = {},
): RequestDetail['presentation'] {
  return {
    type: 'file_content',
    language: null,
    content,
    truncated: false,
    totalLines: content.split('\n').length,
    totalBytes: content.length,
    metadata: {},
    warnings: [],
    digest: `sha256:${'1'.repeat(64)}`,
    ...more,
  }
}

/** The terminal reads no member beside those above. */
function whole(request: Partial<RequestDetail>): RequestDetail {
  return request as RequestDetail
}
