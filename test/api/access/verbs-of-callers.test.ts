import { expect, test } from 'vitest'
import { operations } from '#client/operations.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun, type TestRequest } from '../../harness/fixtures/gated-run.ts'
import type { TestPerson } from '../../harness/fixtures/people.ts'
import { createTestApi } from '../test-api.ts'

const api = disposeAfterTests(await createTestApi())
const { ada, edsger, grace, olga } = api.people

type Operation = keyof typeof operations

/** A body that is well formed, so that the answer is about who calls. */
function bodyOf(operation: Operation, { digest }: TestRequest): object {
  const decision = { decision: 'approve', digest, revision: 1 }
  const bodies: Partial<Record<Operation, object>> = {
    createChallenge: decision,
    decideRequest: decision,
    reviseRequest: { input: { path: 'notes/1.md', content: 'x' }, digest, revision: 1 },
    commentRequest: { text: 'x' },
    extendRequest: { expiresAt: new Date(Date.now() + 30 * 864e5).toISOString() },
    handOverRequest: { to: 'linus@example.com' },
    snoozeRequest: { until: new Date(Date.now() + 36e5).toISOString() },
    revokeApproval: { reason: 'x' },
    consumePermit: { digest },
    reportOutcome: { state: 'succeeded' },
    recordRequestReveal: { kind: 'private key', characters: 40, revision: 1 },
    recordRunReveal: { kind: 'private key', characters: 40 },
    eraseRequest: { why: 'x' },
    postMessage: { text: 'x' },
    forkRun: { text: 'x' },
    invokeTool: { tool: 'deploy', input: {} },
  }
  return bodies[operation] ?? {}
}

const keyOf = async (owner: TestPerson, scopes: readonly string[]) => {
  const { body } = await (await api.signIn(owner)).post('/v1/keys', { name: 'x', scopes })
  return { authorization: `Bearer ${body.key}` }
}
const scopes = ['runs:read', 'runs:write', 'requests:read', 'requests:write']
const callers = {
  nobody: {},
  starter: (await api.signIn(ada)).headers,
  member: (await api.signIn(grace)).headers,
  colleague: (await api.signIn(edsger)).headers,
  manager: (await api.signIn(olga)).headers,
  startersReader: await keyOf(ada, ['runs:read', 'requests:read']),
  startersKey: await keyOf(ada, scopes),
  membersKey: await keyOf(grace, scopes),
}
type Who = keyof typeof callers

const keys: readonly Who[] = ['startersKey', 'membersKey']
const readers: readonly Who[] = ['starter', 'member', 'manager', 'startersReader', ...keys]
const steering: readonly Who[] = ['starter', 'manager']

/** Who is admitted to each operation on a run, or on a request, of the starter. */
const admitted: Partial<Record<Operation, readonly Who[]>> = {
  getRun: readers,
  getTranscript: readers,
  getChangeSet: readers,
  listRunChanges: readers,
  getRunPreamble: readers,
  listGrants: readers,
  recordRunReveal: readers,
  getRequest: readers,
  getContent: readers,
  recordRequestReveal: readers,
  listRunTools: steering,
  postMessage: steering,
  invokeTool: steering,
  closeRun: steering,
  discardRun: steering,
  cancelRun: steering,
  forkRun: ['starter', 'member', 'manager', ...keys],
  snoozeRequest: ['starter', 'member', 'manager'],
  nudgeRequest: ['starter'],
  decideRequest: ['member'],
  createChallenge: ['member'],
  reviseRequest: ['member'],
  claimRequest: ['member'],
  releaseRequest: ['member'],
  commentRequest: ['member'],
  handOverRequest: ['member'],
  revokeApproval: ['member'],
  extendRequest: ['member'],
  // A request of a program is of the keys of its owner.
  consumePermit: keys,
  reportOutcome: keys,
  withdrawRequest: keys,
  getEvidence: [],
  eraseRequest: [],
}

/** They are about other objects than a run and its request, stream, or name the kind first. */
const testedElsewhere: readonly string[] = [
  'streamRun',
  'streamRunAsAgUi',
  'getMessageFile',
  'editComment',
  'removeComment',
  'answerQuestion',
  'settleOutcome',
  'getReceipt',
]

const about = /^\/v1\/(runs|requests)\/:id/
const named = (Object.keys(operations) as Operation[]).filter(
  (name) => about.test(operations[name].split(' ')[1] ?? '') && !testedElsewhere.includes(name),
)

// Rules: security.md 22
test('every operation on a run or request has its callers in the table of this test', () => {
  expect(named.toSorted()).toEqual(Object.keys(admitted).toSorted())
})

test.each(named)('%s admits who the table of verbs names, and nobody else', async (operation) => {
  const [method = '', path = ''] = operations[operation].split(' ')
  const found: string[] = []
  const refused: Record<string, number> = {}
  for (const [who, headers] of Object.entries(callers)) {
    const run = await addRun(api.service, { startedBy: ada })
    const request = await addRequest(api.service, run)
    const id = path.startsWith('/v1/runs') ? run.id : request.id
    const isBare = ['GET', 'DELETE'].includes(method)
    const body = isBare ? {} : { body: bodyOf(operation, request) }
    const address = path.replace(':id', id).replace(':n', '1')
    const { status } = await api.ask(address, { method, headers, ...body })
    expect(status, `${who}: ${operation}`).not.toBe(500)
    if ([401, 403, 404].includes(status)) refused[who] = status
    else found.push(who)
  }
  expect(found.toSorted()).toEqual([...(admitted[operation] ?? [])].toSorted())
  const needsRight = operation === 'getEvidence' || operation === 'eraseRequest'
  expect(refused).toMatchObject({ nobody: 401, colleague: needsRight ? 403 : 404 })
})
