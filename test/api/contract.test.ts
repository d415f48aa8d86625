import { openPushService } from '../harness/fixtures/push-service.ts'
import { testPushKey } from '../harness/fixtures/keys/push-key.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { createECDH } from 'node:crypto'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { createSignInLink } from '#services/access/sign-in/sign-in-link.ts'
import { offerSlackLink } from '#services/channels/slack/offer-slack-link.ts'
import { putContent } from '#store/content/content.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { addRequest, addRun, type TestRequest } from '../harness/fixtures/gated-run.ts'
import { createProgram } from './program.ts'
import { sealRows } from '../harness/fixtures/keys/test-keys.ts'
import { softwarePasskey, type SoftwarePasskey } from '../harness/fixtures/keys/software-passkey.ts'
import { coverAudit, keepCovered } from '../harness/fixtures/cover-audit.ts'
import { createTestDatabase } from '../harness/postgres.ts'
import { setRows } from '../harness/fixtures/rows.ts'
import { answerAsk, answerPreApproved } from './judging.ts'
import { createTestApi, developmentToken, type Reply } from './test-api.ts'

/** One operation of the document. */
interface Operation {
  readonly operationId: string
  readonly security: readonly Record<string, unknown>[]
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
  readonly requestBody?: { readonly required?: boolean }
  readonly responses: Record<
    string,
    { readonly description: string; readonly content?: Record<string, unknown> }
  >
}

interface Listed {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

const documentUrl = 'http://countersign.test/openapi.json'
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })

// One connection: an operation that needs two at once would never end.
const pushService = disposeAfterTests(await openPushService())
const api = disposeAfterTests(
  await createTestApi({ database: await createTestDatabase({ poolSize: 1 }) }),
)
const grace = await api.signIn(api.people.grace)
const ada = await api.signIn(api.people.ada)
const olga = await api.signIn(api.people.olga)
/** A program of Ada's: what it asks is for others to decide. */
const program = await createProgram(api, ada)
const run = await addRun(api.service, { startedBy: api.people.ada })
answerAsk(api.service)
const document = (await api.ask('/openapi.json')).body
ajv.addSchema(closed(document), documentUrl)
const listed = Object.entries<Record<string, Operation>>(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

let position = 1
const pending = (): Promise<TestRequest> => addRequest(api.service, run, { position: ++position })
const approval = (request: TestRequest) => ({
  decision: 'approve',
  digest: request.digest,
  revision: request.revision,
})
const approved = async (scope = 'once'): Promise<TestRequest> => {
  const request = await pending()
  const reply = await grace.post(`/v1/requests/${request.id}/decisions`, {
    ...approval(request),
    scope,
  })
  expect(reply.status).toBe(200)
  return request
}

let callCount = 0
const programCall = () => ({
  tool: 'deploy',
  input: { version: `1.${++callCount}` },
  externalId: `deploy-${callCount}`,
  title: 'Roll out 1.2',
  presentation: { type: 'text', content: 'everywhere' },
  onBehalfOf: 'linus@example.com',
  metadata: { ticket: 7 },
})
const allowed = async (): Promise<{ id: string; digest: string }> => {
  const { id, digest, presentation } = (await program.post('/v1/requests', programCall())).body
  const approval = { seen: presentation.digest, reason: 'looked' }
  const body = { decision: 'approve', digest, revision: 1, ...approval }
  expect((await grace.post(`/v1/requests/${id}/decisions`, body)).status).toBe(200)
  return { id, digest }
}

/** A passkey of Grace's, which Olga has confirmed. */
const registerPasskey = async (): Promise<{ passkey: SoftwarePasskey; reply: Reply }> => {
  const passkey = softwarePasskey()
  const response = passkey.create((await grace.post('/v1/credentials/options')).body)
  const reply = await grace.post('/v1/credentials', { name: 'Laptop', response })
  await setRows(
    api.database.db,
    'credential',
    { id: reply.body.id },
    { confirmed_at: new Date(), confirmed_by: api.people.olga.id },
  )
  await sealRows(api.database.db, 'credential', 'id', reply.body.id)
  return { passkey, reply }
}

const linkSlack = async (): Promise<Reply> => {
  const user = { team: 'T0ACME', userId: 'U0GRACE', email: 'grace@example.com' }
  const code = await offerSlackLink(api.service.ctx, user)
  return grace.post('/v1/slack/links', { code })
}

const subscribe = (): Promise<Reply> => {
  const p256dh = createECDH('prime256v1').generateKeys().toString('base64url')
  const keys = { p256dh, auth: Buffer.alloc(16).toString('base64url') }
  return grace.post('/v1/me/push-subscriptions', { endpoint: 'https://1.1.1.1/grace', keys })
}

/** The path of the output of a command that wrote four bytes. */
const commandOutput = async (): Promise<string> => {
  const { callId } = await addRequest(api.service, run, { position: ++position, tool: 'exec' })
  const { db } = api.service
  const hash = await putContent(db, JSON.stringify({ exitCode: 0, stdout: 'said', stderr: '' }))
  await setRows(db, 'tool_call', { id: callId }, { result_output_hash: hash })
  return `/v1/calls/${callId}/output/stdout`
}

/** For each operation a request that it answers with success. */
const questions: Record<string, () => Promise<Reply>> = {
  listSignInMethods: () => api.ask('/v1/auth/methods'),
  signInForDevelopment: () =>
    api.ask('/v1/auth/dev-login', {
      method: 'POST',
      body: { email: 'ada@example.com', token: developmentToken },
    }),
  switchPerson: async () =>
    (await api.signIn(api.people.ada)).post('/v1/auth/dev-switch', { email: 'grace@example.com' }),
  signInWithLink: async () => {
    const caller = { actor: { type: 'system' }, channel: 'system' } as const
    const link = await createSignInLink(api.service.ctx, caller, { email: 'aud@example.com' })
    return api.ask('/v1/auth/link', { method: 'POST', body: { token: link.token } })
  },
  startPasskeySignIn: () => api.ask('/v1/auth/passkey/options', { method: 'POST', body: {} }),
  signInWithPasskey: async () => {
    const { passkey } = await registerPasskey()
    const { body } = await api.ask('/v1/auth/passkey/options', { method: 'POST', body: {} })
    const response = passkey.get(body)
    return api.ask('/v1/auth/passkey', { method: 'POST', body: { response } })
  },
  signOut: async () => (await api.signIn(api.people.ada)).post('/v1/auth/logout'),
  getMe: () => grace.get('/v1/me'),
  getNotifications: () => grace.get('/v1/me/notifications'),
  setNotifications: () => grace.put('/v1/me/notifications', { choice: 'atOnce', ended: false }),
  listPushSubscriptions: async () => {
    await subscribe()
    return grace.get('/v1/me/push-subscriptions')
  },
  createPushSubscription: () => subscribe(),
  testPushSubscription: async () => {
    const { endpoint, keys } = pushService.subscribe(testPushKey.publicKey)
    await grace.post('/v1/me/push-subscriptions', { endpoint, keys })
    return grace.post('/v1/me/push-subscriptions/test', {})
  },
  deletePushSubscription: () => grace.delete('/v1/me/push-subscriptions'),
  getInsights: async () => {
    await pending()
    return grace.get('/v1/insights?by=rule')
  },
  getAttention: () => grace.get('/v1/insights/attention'),
  listFirstSteps: () => grace.get('/v1/me/first-steps'),
  getUsage: () => grace.get('/v1/insights/usage'),
  listRuleProposals: () => grace.get('/v1/insights/proposals'),
  listRuns: () =>
    grace.get(
      '/v1/runs?state=waiting_for_approval&worker=scribe&startedBy=ada@example.com&limit=1',
    ),
  getRun: () => ada.get(`/v1/runs/${run.id}`),
  getTranscript: async () => {
    const started = await ada.post('/v1/runs', { worker: 'scribe', input: 'write' })
    return ada.get(`/v1/runs/${started.body.id}/transcript`)
  },
  getChangeSet: async () => {
    await pending()
    return grace.get(`/v1/runs/${run.id}/turns/1`)
  },
  listRunChanges: async () => {
    const { callId } = await pending()
    const [before, after] = [hashBytes('one\n'), hashBytes('two\n')]
    const change = { path: 'notes/a.md', from_path: 'notes/b.md', before_hash: null }
    const lines = { before_lines: null, after_lines: Buffer.alloc(6) }
    const of = { run_id: run.id, call_id: callId, attempt: 1 }
    await api.service.db
      .insertInto('file_change')
      .values([
        { ...of, ...change, ...lines, position: 1, after_hash: before },
        {
          ...of,
          ...change,
          ...lines,
          position: 2,
          path: 'notes/c.md',
          from_path: null,
          after_hash: after,
        },
      ])
      .execute()
    return ada.get(`/v1/runs/${run.id}/changes`)
  },
  getOutput: async () => ada.get(await commandOutput()),
  getResultFile: async () => {
    const { callId } = await pending()
    const { db } = api.service
    const hash = await putContent(db, 'bytes')
    const file = { call_id: callId, position: 1, hash, media_type: 'audio/wav', bytes: 5 }
    await db.insertInto('result_file').values(file).execute()
    return ada.get(`/v1/calls/${callId}/files/${hash}`)
  },
  getMessageFile: async () => {
    const files = [{ name: 'a.txt', mediaType: 'text/plain', data: btoa('bytes') }]
    await ada.post(`/v1/runs/${run.id}/messages`, { text: 'look', files })
    return ada.get(`/v1/runs/${run.id}/files/${hashBytes('bytes')}`)
  },
  startRun: () =>
    ada.post('/v1/runs', { worker: 'scribe', input: { topic: '1.2' }, mode: 'strict' }),
  postMessage: () => ada.post(`/v1/runs/${run.id}/messages`, { text: 'go on' }),
  listTriggers: () => ada.get('/v1/triggers'),
  listSchedules: () => ada.get('/v1/schedules'),
  getRunPreamble: () => ada.get(`/v1/runs/${run.id}/preamble`),
  listRunTools: () => ada.get(`/v1/runs/${run.id}/tools`),
  invokeTool: async () => {
    answerPreApproved(api.service)
    const reply = await ada.post(`/v1/runs/${run.id}/calls`, { tool: 'deploy', input: {} })
    answerAsk(api.service)
    return reply
  },
  forkRun: async () => {
    const { body } = await ada.post('/v1/runs', { worker: 'scribe', input: { topic: '1.2' } })
    return ada.post(`/v1/runs/${body.number}/forks`, { afterTurn: 0 })
  },
  closeRun: async () => {
    const other = await addRun(api.service, { startedBy: api.people.ada })
    const rests = { state: 'waiting_for_input', rest: 'stopped' } as const
    await api.database.db.updateTable('run').set(rests).where('id', '=', other.id).execute()
    return ada.post(`/v1/runs/${other.id}/close`)
  },
  discardRun: async () => {
    const other = await addRun(api.service, { startedBy: api.people.ada })
    const worktree = { branch: 'countersign/1-scribe', base: 'main', baseCommit: '0'.repeat(40) }
    await setRows(
      api.database.db,
      'run',
      { id: other.id },
      { worktree: JSON.stringify(worktree), state: 'completed', ended_at: new Date() },
    )
    return ada.post(`/v1/runs/${other.id}/discard`)
  },
  cancelRun: async () => {
    const other = await addRun(api.service, { startedBy: api.people.ada })
    return ada.post(`/v1/runs/${other.id}/cancel`, { reason: 'not needed' })
  },
  listGrants: async () => {
    await approved('run')
    return ada.get(`/v1/runs/${run.id}/grants`)
  },
  revokeGrant: async () => {
    await approved('path')
    const grants = await grace.get(`/v1/runs/${run.id}/grants`)
    return grace.delete(`/v1/grants/${grants.body.items[0].id}`)
  },
  listQueues: () => grace.get('/v1/queues'),
  listRequests: async () => {
    await pending()
    return grace.get('/v1/requests?state=pending&queue=platform&mine=true&sort=risk&q=write')
  },
  getRequest: async () => grace.get(`/v1/requests/${(await pending()).id}`),
  getContent: async () => grace.get(`/v1/requests/${(await pending()).id}/content`),
  createChallenge: async () => {
    await registerPasskey()
    const request = await pending()
    return grace.post(`/v1/requests/${request.id}/challenge`, approval(request))
  },
  decideRequest: async () => {
    const request = await pending()
    return grace.post(`/v1/requests/${request.id}/decisions`, {
      ...approval(request),
      scope: 'run',
      grant: { uses: 3, expiresAt: '2100-01-01T00:00:00Z' },
      reason: 'read it',
    })
  },
  decideRequests: async () => {
    const [one, other] = [await pending(), await pending()]
    return grace.post('/v1/decisions', {
      decisions: [
        { requestId: one.id, ...approval(one) },
        { requestId: other.id, ...approval(other), digest: 'sha256:other' },
        { requestId: other.id, ...approval(other), decision: 'yes' },
      ],
    })
  },
  claimRequest: async () => grace.post(`/v1/requests/${(await pending()).id}/claim`),
  releaseRequest: async () => {
    const request = await pending()
    await grace.post(`/v1/requests/${request.id}/claim`)
    return grace.delete(`/v1/requests/${request.id}/claim`)
  },
  commentRequest: async () =>
    grace.post(`/v1/requests/${(await pending()).id}/comments`, {
      text: 'why?',
    }),
  editComment: async () => {
    const { id } = await pending()
    const { body } = await grace.post(`/v1/requests/${id}/comments`, { text: 'why?' })
    return grace.put(`/v1/requests/${id}/comments/${String(body['id'])}`, { text: 'why so?' })
  },
  removeComment: async () => {
    const { id } = await pending()
    const { body } = await grace.post(`/v1/requests/${id}/comments`, { text: 'why?' })
    return grace.delete(`/v1/requests/${id}/comments/${String(body['id'])}`)
  },
  snoozeRequest: async () =>
    grace.post(`/v1/requests/${(await pending()).id}/snooze`, { until: '2100-01-01T00:00:00Z' }),
  handOverRequest: async () =>
    grace.post(`/v1/requests/${(await pending()).id}/hand-over`, { to: 'linus@example.com' }),
  nudgeRequest: async () => ada.post(`/v1/requests/${(await pending()).id}/nudge`),
  setAbsence: () => grace.put('/v1/me/absence', { until: '2100-01-01T00:00:00Z' }),
  listSavedViews: () => grace.get('/v1/me/views'),
  saveView: () =>
    grace.put('/v1/me/views', { page: 'inbox', name: 'High risk', query: 'risk=high' }),
  removeSavedView: async () => {
    await grace.put('/v1/me/views', { page: 'audit', name: 'Denied', query: 'q=denied' })
    const views = await grace.get('/v1/me/views')
    return grace.delete(`/v1/me/views/${views.body.items[0].id}`)
  },
  endAbsence: () => grace.delete('/v1/me/absence'),
  recordRequestReveal: async () =>
    grace.post(`/v1/requests/${(await pending()).id}/reveals`, {
      revision: 1,
      kind: 'GitHub token',
      characters: 40,
    }),
  recordRunReveal: () =>
    ada.post(`/v1/runs/${run.id}/reveals`, { kind: 'GitHub token', characters: 40 }),
  revokeApproval: async () =>
    grace.post(`/v1/requests/${(await approved()).id}/revoke`, { reason: 'changed my mind' }),
  extendRequest: async () =>
    grace.post(`/v1/requests/${(await pending()).id}/extend`, {
      expiresAt: new Date(Date.now() + 30 * 86_400_000).toISOString(),
    }),
  reviseRequest: async () => {
    const { id, digest } = await pending()
    const input = { path: 'notes/1.md', content: 'edited' }
    return grace.post(`/v1/requests/${id}/revisions`, { input, digest, revision: 1 })
  },
  answerQuestion: async () => {
    // In a separate run, because the person who answers cannot decide later requests of that run.
    const other = await addRun(api.service, { startedBy: api.people.ada })
    const question = await addRequest(api.service, other, { kind: 'question' })
    return grace.post(`/v1/requests/${question.id}/answer`, { text: 'the next one' })
  },
  openRequest: () => program.post('/v1/requests', programCall()),
  consumePermit: async () => {
    const request = await allowed()
    return program.post(`/v1/requests/${request.id}/consume`, { digest: request.digest })
  },
  reportOutcome: async () => {
    const { id, digest } = await allowed()
    await program.post(`/v1/requests/${id}/consume`, { digest })
    return program.post(`/v1/requests/${id}/outcome`, { state: 'failed', summary: 'no disk' })
  },
  answerClaudeCodeHook: () =>
    program.post('/v1/hooks/claude-code?wait=0', {
      hook_event_name: 'PreToolUse',
      session_id: 's',
      tool_name: 'Bash',
      tool_input: { command: 'make' },
      tool_use_id: 'toolu_contract',
    }),
  withdrawRequest: async () => {
    const { body } = await program.post('/v1/requests', programCall())
    return program.post(`/v1/requests/${body.id}/withdraw`)
  },
  settleOutcome: async () => {
    const check = await addRequest(api.service, run, {
      position: ++position,
      kind: 'outcome_check',
    })
    const execution = { call_id: check.callId, attempt: 1, state: 'unknown', epoch: 1 } as const
    await api.service.db.insertInto('execution').values(execution).execute()
    const body = { ran: false, then: 'again', reason: 'the file is not there' }
    return grace.post(`/v1/requests/${check.id}/settle`, body)
  },
  explainCall: () =>
    ada.post('/v1/policy/explain', { worker: 'scribe', tool: 'write_file', input: { path: 'x' } }),
  getPolicy: () => grace.get('/v1/policy'),
  listActivations: () => grace.get('/v1/policy/activations?limit=1'),
  listPolicyChanges: () => grace.get('/v1/policy/changes'),
  listDefinitions: () => grace.get('/v1/policy/definitions'),
  listAuditEvents: async () =>
    (await api.signIn(api.people.aud)).get(
      '/v1/audit?type=request.opened&actor=policy&from=2020-01-01T00:00:00Z',
    ),
  exportAudit: async () => (await api.signIn(api.people.aud)).get('/v1/audit/export?format=csv'),
  getCheckpoint: async () => {
    await coverAudit(api.database.db)
    return ada.get('/v1/audit/checkpoint?since=1')
  },
  getEvidence: async () => {
    const { id } = await pending()
    const auditor = await api.signIn(api.people.aud)
    return whileCovering(() => auditor.get(`/v1/requests/${id}/evidence?since=1`))
  },
  getLogArchive: async () => {
    const auditor = await api.signIn(api.people.aud)
    return whileCovering(() => auditor.get('/v1/audit/log/archive'))
  },
  getReceipt: async () => grace.get(`/v1/requests/${(await pending()).id}/receipt`),
  getCheckpointNote: async () => (await api.signIn(api.people.aud)).get('/v1/audit/log/checkpoint'),
  getTile: async () => (await api.signIn(api.people.aud)).get('/v1/audit/log/tile/0/000.p/1'),
  searchService: async () => {
    const { number } = (await grace.get(`/v1/requests/${(await pending()).id}`)).body
    return grace.get(`/v1/search?q=%23${number}&types=request,run`)
  },
  listWorkers: () => grace.get('/v1/workers'),
  listWorkerTools: () => grace.get('/v1/workers/scribe/tools'),
  listWorkerCalls: () => grace.get('/v1/workers/scribe/calls?tools=write_file,read_file'),
  getWorker: () => grace.get('/v1/workers/scribe'),
  listSlackLinks: () => grace.get('/v1/slack/links'),
  confirmSlackLink: linkSlack,
  removeSlackLink: async () => grace.delete(`/v1/slack/links/${(await linkSlack()).body.id}`),
  listWebhooks: async () => (await api.signIn(api.people.aud)).get('/v1/webhooks'),
  listDeliveries: async () =>
    (await api.signIn(api.people.aud)).get('/v1/webhooks/deliveries?state=dead'),
  listCredentials: async () => {
    await registerPasskey()
    return grace.get('/v1/credentials')
  },
  startCredential: () => grace.post('/v1/credentials/options'),
  registerCredential: async () => (await registerPasskey()).reply,
  renameCredential: async () => {
    const { id } = (await registerPasskey()).reply.body
    return grace.post(`/v1/credentials/${id}/rename`, { name: 'Phone' })
  },
  removeCredential: async () =>
    grace.delete(`/v1/credentials/${(await registerPasskey()).reply.body.id}`),
  listKeys: async () => {
    await ada.post('/v1/keys', { name: 'robot', scopes: ['runs:read'] })
    return ada.get('/v1/keys')
  },
  createKey: () => ada.post('/v1/keys', { name: 'robot', scopes: ['runs:read', 'audit:read'] }),
  rotateKey: async () => {
    const key = await ada.post('/v1/keys', { name: 'robot', scopes: ['runs:read'] })
    return ada.post(`/v1/keys/${key.body.id}/rotate`)
  },
  revokeKey: async () => {
    const key = await ada.post('/v1/keys', { name: 'robot', scopes: ['runs:read'] })
    return ada.delete(`/v1/keys/${key.body.id}`)
  },
  listKeyProposals: () => ada.get('/v1/key-proposals'),
  claimKey: async () => ada.post(`/v1/key-proposals/${await proposed()}/claim`),
  declineKey: async () => ada.delete(`/v1/key-proposals/${await proposed()}`),
  listSessions: () => ada.get('/v1/sessions'),
  endSession: async () => {
    const { id } = (await (await api.signIn(api.people.aud)).get('/v1/sessions')).body.items[0]
    return (await api.signIn(api.people.aud)).delete(`/v1/sessions/${id}`)
  },
  endOtherSessions: async () => (await api.signIn(api.people.aud)).post('/v1/sessions/end-others'),
  listPeople: () => ada.get('/v1/people'),
  getHealth: () => api.ask('/healthz'),
  getReadiness: () => api.ask('/readyz'),
  previewRetention: async () =>
    (await api.signIn(api.people.aud)).get('/v1/retention?transcripts=90d&records=30d'),
  getRunsArchive: async () =>
    (await api.signIn(api.people.aud)).get('/v1/runs-archive?before=2026-01-01T00:00:00Z'),
  getMetrics: async () => (await api.signIn(api.people.aud)).get('/metrics'),
}

/**
 * Proved elsewhere: events.test.ts, oidc.test.ts, people.test.ts, policy.test.ts, webhooks.test.ts.
 */
const provedElsewhere = new Set([
  'streamEvents',
  'streamRun',
  // ag-ui.test.ts, with its own client.
  'streamRunAsAgUi',
  'createHostLink',
  // passkeys.test.ts, with somebody who may.
  'confirmCredential',
  'startProviderSignIn',
  'finishProviderSignIn',
  'createSignInLink',
  'unlinkAccount',
  'disablePerson',
  // erasure.test.ts, with somebody who may.
  'erasePerson',
  'eraseRequest',
  'comparePolicies',
  'activatePolicy',
  'replayPolicy',
  'withdrawPolicyProposal',
  // policy-changes.it.test.ts and insights.test.ts (browser), with a rule that is always approved.
  'proposePolicyChange',
  'withdrawPolicyChange',
  'resendDelivery',
  // deployments.test.ts, with the secret of a webhook of GitHub.
  'askForDeployment',
  // triggers.test.ts, with the secret of a trigger.
  'startFromTrigger',
  'pauseTrigger',
  'resumeTrigger',
  // schedules.it.test.ts, continuity.test.ts and starts.test.ts, with schedules.
  'pauseSchedule',
  'resumeSchedule',
  'triggerSchedule',
  // slack.test.ts, since only Slack can ask.
  'postSlackInteraction',
])

function expectDocumented(reply: Reply, { path, method, operation }: Listed): void {
  const where = `${method} ${path} ${reply.status}`
  const documented = operation.responses[String(reply.status)]
  expect(documented, `${where} is documented`).toBeDefined()
  if (reply.status >= 400) {
    expect(documented?.description, where).toContain(`\`${reply.body.code}\``)
  }
  const type = reply.headers.get('content-type')?.split(';')[0] ?? ''
  expect(Object.keys(documented?.content ?? {}), where).toContain(type)
  if (!type.endsWith('json')) return
  const pointer = [
    'paths',
    path,
    method,
    'responses',
    String(reply.status),
    'content',
    type,
    'schema',
  ]
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/')
  const validate = ajv.compile({ $ref: `${documentUrl}#/${pointer}` })
  expect(
    validate(reply.body),
    `${where}: ${ajv.errorsText(validate.errors)}\n${reply.text.slice(0, 2000)}`,
  ).toBe(true)
}

test('every operation of the document answers with success, in the form that the document declares', async () => {
  const names = listed.map(({ operation }) => operation.operationId)
  expect(
    names.filter((name) => !Object.hasOwn(questions, name) && !provedElsewhere.has(name)),
  ).toEqual([])
  expect(new Set(names).size).toBe(names.length)
  for (const one of listed) {
    const question = questions[one.operation.operationId]
    if (question === undefined) continue
    const reply = await question()
    expect(reply.status, `${one.operation.operationId}: ${reply.text.slice(0, 500)}`).toBeLessThan(
      300,
    )
    expectDocumented(reply, one)
  }
})

const filled = (path: string, id: string) => path.replaceAll(/\{(\w+)\}/g, encodeURIComponent(id))
const operationOf = (name: string): Listed => {
  const found = listed.find(({ operation }) => operation.operationId === name)
  if (found === undefined) throw new Error(`The document has no ${name}`)
  return found
}

test('a body that the document requires is refused when it is empty, and only those are required', async () => {
  const request = await pending()
  const bodies = listed.filter(({ operation }) => operation.requestBody !== undefined)
  const required = bodies.filter(({ operation }) => operation.requestBody?.required === true)
  expect(
    bodies.filter((one) => !required.includes(one)).map(({ operation }) => operation.operationId),
  ).toEqual([
    'signOut',
    'startPasskeySignIn',
    'deletePushSubscription',
    'endOtherSessions',
    // Only a fork that does not start again needs a text.
    'forkRun',
    'cancelRun',
    'withdrawRequest',
    'answerClaudeCodeHook',
    'claimRequest',
    'nudgeRequest',
    'replayPolicy',
    'resendDelivery',
    'startFromTrigger',
    'rotateKey',
    'claimKey',
    'startCredential',
    'confirmCredential',
    'createSignInLink',
    'disablePerson',
    'unlinkAccount',
  ])
  for (const one of required) {
    // Deployments: the signature is judged before the body. Permits: the next test, with a program.
    if (['askForDeployment', 'consumePermit'].includes(one.operation.operationId)) continue
    const named = one.path.replace('{email}', 'grace@example.com')
    const path = filled(named, one.path.startsWith('/v1/runs') ? run.id : request.id)
    const ask = { method: one.method.toUpperCase(), headers: grace.headers, body: {} }
    const reply = await api.ask(path, ask)
    expect(['invalid_request', 'digest_required'], `${path}: ${reply.text}`).toContain(
      reply.body.code,
    )
    expectDocumented(reply, one)
  }
})

// Rules: product.md 6
test('the document requires the digest and the revision of what is decided, changed or taken, as the service does', async () => {
  const request = await pending()
  const { id } = await allowed()
  const { digest, revision } = request
  const decision = { decision: 'approve', digest, revision }
  const needed = [
    ['decideRequest', request.id, decision, ['digest', 'revision'], grace],
    ['createChallenge', request.id, decision, ['digest', 'revision'], grace],
    ['reviseRequest', request.id, { input: {}, digest, revision }, ['digest', 'revision'], grace],
    ['consumePermit', id, { digest }, ['digest'], program],
  ] as const
  for (const [name, about, body, fields, caller] of needed) {
    const one = operationOf(name)
    const pointer = ['paths', one.path, one.method, 'requestBody', 'content', 'application/json']
      .map((part) => encodeURIComponent(part.replaceAll('/', '~1')))
      .join('/')
    const takes = ajv.compile({ $ref: `${documentUrl}#/${pointer}/schema` })
    expect(takes(body), name).toBe(true)
    for (const field of fields) {
      const without = Object.fromEntries(Object.entries(body).filter(([key]) => key !== field))
      expect(takes(without), `${name} without ${field}`).toBe(false)
      const reply = await caller.post(filled(one.path, about), without)
      expect([422, 428], `${name} without ${field}: ${reply.text}`).toContain(reply.status)
      expectDocumented(reply, one)
    }
  }
})

test('an offset after the end of an output is refused by its name', async () => {
  const path = await commandOutput()
  expect((await ada.get(`${path}?offset=4`)).status).toBe(200)
  const reply = await ada.get(`${path}?offset=5`)
  expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_request', field: 'offset' } })
  expectDocumented(reply, operationOf('getOutput'))
})

test('a request that is handed over to somebody who may not decide it is refused as the document says', async () => {
  const { id } = await pending()
  const reply = await grace.post(`/v1/requests/${id}/hand-over`, { to: 'nobody@example.com' })
  expect(reply).toMatchObject({ status: 422, body: { code: 'not_eligible', field: 'to' } })
  expectDocumented(reply, operationOf('handOverRequest'))
})

test('the document has every member of the actor of an event that a program caused', async () => {
  await allowed()
  const aud = await api.signIn(api.people.aud)
  const reply = await aud.get('/v1/audit?actor=machine')
  expect(reply.body.items[0].actor).toMatchObject({ ownerId: api.people.ada.id })
  expectDocumented(reply, operationOf('listAuditEvents'))
})

test('every operation except the open ones answers a caller without credentials with 401, as the document says', async () => {
  const open = listed.filter(({ operation }) => operation.security.length === 0)
  expect(
    open.map(({ operation }) => operation.operationId).toSorted((a, b) => a.localeCompare(b)),
  ).toEqual([
    'askForDeployment',
    'createHostLink',
    'finishProviderSignIn',
    'getHealth',
    'getMetrics',
    'getReadiness',
    'listSignInMethods',
    'postSlackInteraction',
    'signInForDevelopment',
    'signInWithLink',
    'signInWithPasskey',
    'startFromTrigger',
    'startPasskeySignIn',
    'startProviderSignIn',
  ])
  for (const one of listed) {
    if (one.operation.security.length === 0) continue
    const reply = await api.ask(filled(one.path, uuidv7()), { method: one.method.toUpperCase() })
    expect(reply, `${one.method} ${one.path}`).toMatchObject({ status: 401 })
    expectDocumented(reply, one)
  }
})

// Rules: security.md 22
test('every path answers about what does not exist and about what the caller may not see with the same 404', async () => {
  const request = await pending()
  const edsger = await api.signIn(api.people.edsger)
  const bodies: Record<string, unknown> = {
    postMessage: { text: 'x' },
    forkRun: { text: 'x' },
    invokeTool: { tool: 'deploy', input: {} },
    streamRunAsAgUi: { threadId: 'x', runId: 'x', messages: [] },
    recordRunReveal: { kind: 'GitHub token', characters: 40 },
    decideRequest: approval(request),
    createChallenge: approval(request),
    commentRequest: { text: 'x' },
    editComment: { text: 'x' },
    snoozeRequest: { until: null },
    handOverRequest: { to: 'x' },
    recordRequestReveal: { revision: 1, kind: 'GitHub token', characters: 40 },
    revokeApproval: { reason: 'x' },
    reviseRequest: { input: {}, digest: request.digest, revision: 1 },
    answerQuestion: { text: 'x' },
    settleOutcome: { ran: null, then: 'continue', reason: 'x' },
    extendRequest: { expiresAt: '2100-01-01T00:00:00Z' },
    consumePermit: { digest: request.digest },
    reportOutcome: { state: 'succeeded' },
  }
  // Evidence and erasure need a right. Without it the answer is the same for every request.
  const operations = listed.filter(
    ({ path }) =>
      /^\/v1\/(runs|requests)\/\{id\}/.test(path) && !/\/(evidence|erasures)$/.test(path),
  )
  for (const one of operations) {
    const unseen = one.path.startsWith('/v1/runs') ? run.id : request.id
    const replies = await Promise.all(
      [unseen, uuidv7(), 'nonsense'].map((id) =>
        api.ask(filled(one.path.replace('{commentId}', uuidv7()), id), {
          method: one.method.toUpperCase(),
          headers: edsger.headers,
          ...(['post', 'put'].includes(one.method)
            ? { body: bodies[one.operation.operationId] ?? {} }
            : {}),
        }),
      ),
    )
    for (const reply of replies) {
      expect(reply, `${one.method} ${one.path}`).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      })
      expectDocumented(reply, one)
    }
  }
})

// Rules: security.md 12
test('no GET and no HEAD changes a row, but for the records of what was revealed', async () => {
  // That a session was seen is recorded once a minute, whatever it asks.
  const withoutSight = (key: string, value: unknown) => (key === 'last_seen_at' ? null : value)
  const snapshot = async (): Promise<string> => {
    const { db } = api.service
    const tables = [
      'run',
      'request',
      'decision',
      'permit',
      'approval_grant',
      'claim',
      'outbox',
      'event',
      'session',
    ] as const
    const counts = await Promise.all(
      tables.map(async (table) => {
        const rows = await db.selectFrom(table).selectAll().execute()
        return JSON.stringify(
          rows
            .map((row) => JSON.stringify(row, withoutSight))
            .toSorted((a, b) => a.localeCompare(b)),
        )
      }),
    )
    return counts.join('\n')
  }
  const request = await pending()
  const before = await snapshot()
  for (const { path, method } of listed.filter(
    (one) => one.method === 'get' && !['/v1/events', '/v1/runs/{id}/stream'].includes(one.path),
  )) {
    const id = path.startsWith('/v1/runs') ? run.id : request.id
    for (const verb of [method.toUpperCase(), 'HEAD']) {
      const reply = await api.ask(filled(path, id), { method: verb, headers: olga.headers })
      expect(reply.status, `${verb} ${path}`).toBeLessThan(500)
    }
  }
  expect(await snapshot()).toBe(before)
})

/** Evidence is given out once the log covers it, which the sequencer of the API process sees to. */
async function whileCovering(ask: () => Promise<Reply>): Promise<Reply> {
  await using _covering = keepCovered(api.database.db)
  return await ask()
}

/** The id of a key that Linus has proposed to Ada; nobody here holds the right to. */
async function proposed(): Promise<string> {
  const id = uuidv7()
  await api.service.db
    .insertInto('api_key_proposal')
    .values({
      id,
      name: 'robot',
      owner_id: api.people.ada.id,
      proposed_by: api.people.linus.id,
      scopes: ['runs:read'],
      key_expires_at: null,
      expires_at: new Date(Date.now() + 60_000),
    })
    .execute()
  await sealRows(api.service.db, 'api_key_proposal', 'id', id)
  return id
}

/**
 * The document with its objects closed. Clients may meet members that are new to them; the service
 * may not answer with any that it does not declare.
 */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.entries(schema).map(([name, part]) => [name, closed(part)])
  const isOpen = 'properties' in schema && !('additionalProperties' in schema)
  return { ...Object.fromEntries(parts), ...(isOpen && { additionalProperties: false }) } as T
}
