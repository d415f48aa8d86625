import { execFile } from 'node:child_process'
import { mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createClient } from '#program-client'
import type { WebhookDeliveryList } from '#api/schemas/notifications/webhooks.ts'
import type { Verdict } from '#evidence/verify/findings/finding.ts'
import type { SessionList } from '#api/schemas/access/sessions.ts'
import type { Schedule, ScheduleList } from '#api/schemas/runs/schedules.ts'
import type { SignedCheckpointView } from '#api/schemas/audit/audit-log.ts'
import { openCheckpoint } from '#evidence/note/checkpoint.ts'
import { parseVerifierKey } from '#evidence/note/note-key.ts'
import { Installation } from '../harness/installation/installation.ts'
import type { TestSession } from '../harness/installation/test-session.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { openWebhookReceiver } from '../harness/webhook-receiver.ts'
import { cliProject, hostile } from './cli-project.ts'
import { CommandLine } from './command-line.ts'

const run = promisify(execFile)
let installation: Installation
let cli: CommandLine
let session: TestSession
const ada = ['--as', 'ada@example.com']
const grace = ['--as', 'grace@example.com']
const olga = ['--as', 'olga@example.com']

// Each step is a process of its own; a busy machine takes seconds for one.
vi.setConfig({ testTimeout: 180_000 })

beforeAll(async () => {
  installation = await Installation.start(cliProject)
  cli = new CommandLine(installation.folder)
}, 240_000)
/** One test ends all sessions that Ada has elsewhere. */
beforeEach(async () => {
  session = await installation.signIn('ada@example.com')
})
afterAll(() => installation[Symbol.asyncDispose](), 240_000)

async function digestOf(request: string): Promise<string> {
  return String((await session.get(`/v1/requests/${request}`)).body['digest'])
}

/** Asks the service itself: a command for each look would be a process for each. */
async function untilState(run: string, state: string): Promise<void> {
  await waitUntil(async () => {
    const { body } = await session.get(`/v1/runs/${run}`)
    return body['state'] === state || `it is ${String(body['state'])}`
  })
}

test("one's passkeys are listed, and everybody's only to who may confirm them", async () => {
  expect(await cli.ok('people', 'credentials', ...grace)).toContain('No passkeys.')
  const { code, err } = await cli.run('people', 'credentials', '--all', ...ada)
  expect(code).toBe(1)
  expect(err).toContain('managePeople')
})

test('a watched run that waits for somebody else ends with 3 and says for whom and where', async () => {
  const { code, out } = await cli.run('run', 'scribe', 'please', '--watch', ...ada)
  expect(code).toBe(3)
  expect(out).toMatch(
    /#\d+ Create notes\/a\.md .*waits for 1 of platform: http:\/\/localhost:\d+\/requests\//,
  )
})

test('a watched run that completes ends with 0, one that stands still with 1 and says how it goes on', async () => {
  expect((await cli.run('run', 'idle', 'please', '--watch', ...ada)).code).toBe(0)
  const limited = await cli.run('run', 'limited', 'please', '--watch', ...ada)
  expect(limited.code, limited.out + limited.err).toBe(1)
  expect(limited.err).toMatch(/limit/)
  expect(limited.err).toMatch(/countersign runs message \S+ TEXT/)
})

test('a run is watched by its number, a denial is told to the model, and the watch then ends with 4', async () => {
  const { run, request } = await cli.waiting('scribe')
  const { number } = await cli.json<{ number: number }>('runs', 'show', run, ...ada)
  expect(await cli.run('runs', 'watch', `${number}`, ...ada)).toMatchObject({ code: 3 })
  const denied = await cli.run(
    `deny ${request} -m`,
    `not now ${hostile}`,
    '--digest',
    await digestOf(request),
    ...grace,
  )
  expect([denied.code, denied.out]).toEqual([0, expect.stringContaining('Recorded.')])
  const watched = await cli.run('runs', 'watch', run, ...ada)
  expect(watched.code).toBe(4)
  expect(watched.out).toContain('not now')
  await expect(stat(join(installation.folder, 'notes/a.md'))).rejects.toThrow('ENOENT')
})

test('an approval by the digest that was shown is carried out', async () => {
  const { run, request } = await cli.waiting('risky')
  const digest = (await cli.ok('requests', 'show', request, '--digest', ...grace)).trim()
  expect(digest).toBe(await digestOf(request))
  const [approve, seen] = [
    ['approve', request, '--digest', digest, ...grace],
    ['-m', 'reviewed'],
  ]
  await cli.fails(1, 'add -m REASON', ...approve)
  const done = await cli.run(...approve, ...seen)
  expect([done.err, done.code]).toEqual(['', 0])
  expect(done.out).toContain('│ step 200')
  await untilState(run, 'completed')
  expect(await readFile(join(installation.folder, 'notes/infra/plan.md'), 'utf8')).toMatch(
    /^step 1\n/,
  )
})

test('what is wrong with a decision is said in a sentence, and nothing changes', async () => {
  const { request } = await cli.waiting('scribe')
  const digest = await digestOf(request)
  await cli.fails(2, 'as printed by', 'approve', request, ...grace)
  await cli.fails(
    1,
    /Nothing was decided. Review it again/,
    `approve ${request} --digest sha256:abc`,
    ...grace,
  )
  const own = await cli.run('approve', request, '--digest', digest, ...ada)
  expect([own.code, own.err.trim()]).toEqual([1, "you can't decide: you started this run"])
  await cli.fails(1, 'no request 99999', 'approve', '99999', '--digest', digest, ...grace)
  const requestView = await cli.json<{ state: string }>('requests', 'show', request, ...grace)
  expect(requestView.state).toBe('pending')
  await cli.ok('deny', request, '--digest', digest, '-m', 'no', ...grace)
  const late = await cli.run('approve', request, '--digest', digest, '--as', 'linus@example.com')
  expect(late.code).toBe(1)
  expect(late.err).toMatch(/Grace.*, because: no. Nothing was changed./s)
})

test('with --json only the answer is on standard output, and what was decided is on the other', async () => {
  const { request } = await cli.waiting('scribe')
  const digest = await digestOf(request)
  const answer = await cli.run('deny', request, '--digest', digest, '--stop', '--json', ...grace)
  expect(JSON.parse(answer.out)).toMatchObject({ state: 'denied' })
  expect(answer.err).toContain('Create notes/a.md')
  const watched = await cli.run('run', 'idle', 'please', '--watch', '--json', ...ada)
  expect(JSON.parse(watched.out)).toMatchObject({ worker: 'idle', state: 'completed' })
  expect(watched.err).toContain('│ Nothing to do.')
})

test('nothing that an agent wrote reaches the terminal as it is', async () => {
  const { run, request } = await cli.waiting('scribe')
  const outputs = await Promise.all([
    cli.run('run', 'inventor', hostile, '--watch', ...ada),
    cli.run('runs', 'show', run, ...ada),
    cli.run('requests', 'show', request, '--full', ...grace),
    cli.run('requests', 'ls', '--state', 'all', ...grace),
    cli.run('explain', 'scribe', hostile, '{}', ...ada),
    cli.run('run', hostile, 'please', ...ada),
    cli.run('requests', 'show', hostile, ...grace),
  ])
  for (const { out, err } of outputs) {
    // oxlint-disable-next-line no-control-regex
    expect(out + err).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202e]/)
  }
  expect(outputs.map(({ out }) => out).join('')).toContain('⟦U+202E RIGHT-TO-LEFT OVERRIDE⟧')
})

// Rules: product.md 10
test('an approval for the run is a grant: listed, bounded, revoked', async () => {
  const { run, request } = await cli.waiting('again')
  const digest = await digestOf(request)
  const scope = ['--scope', 'run', '--uses', '5', '--until', '2099-01-01']
  await cli.run('approve', request, '--digest', digest, ...scope, ...grace)
  await untilState(run, 'waiting_for_approval')
  const { items } = await cli.json<{ items: { id: string }[] }>('grants', run, ...grace)
  const id = items[0]?.id ?? ''
  expect(items[0]).toMatchObject({ scope: 'run', usesAllowed: 5 })
  expect(await cli.ok('grants', 'ls', run, ...grace)).toMatch(/write_file +run .*2099-01-01.*live/)
  expect(await cli.ok('grants', 'revoke', id, ...grace)).toContain('asks again')
  expect(await cli.ok('grants', run, ...grace)).toContain('revoked')
})

// Rules: product.md 21
test('a run has one mode: two are an error, and so is one that there is not', async () => {
  await cli.fails(2, 'a run has one mode', 'run idle x --mode strict --mode prompt', ...ada)
  await cli.fails(2, 'strict', 'run', 'idle', 'x', '--mode', 'free', ...ada)
})

test('requests are listed, narrowed and paged; claimed, discussed and extended', async () => {
  const { run, request } = await cli.waiting('scribe')
  const page = await cli.ok('requests', 'ls', '--state', 'all', '--limit', '1', ...grace)
  expect(page).toMatch(/^# .* STATE$/m)
  expect(await cli.ok('requests', 'ls', ...grace)).toMatch(/^# .* BY +EXPIRES$/m)
  const [, cursor = ''] = /there are more: --cursor (\S+)/.exec(page) ?? []
  const next = await cli.json<{ items: unknown[] }>(
    `requests ls --state all --cursor ${cursor}`,
    ...grace,
  )
  expect(next.items.length).toBeGreaterThan(0)
  const mine = await cli.json<{ items: { runId: string }[] }>(
    `requests --run ${run} --mine`,
    ...grace,
  )
  expect(mine.items).toHaveLength(1)
  expect(await cli.ok('requests', '--run', run, '--mine', ...ada)).toContain(
    'Nothing waits for you',
  )
  expect(await cli.ok('requests', 'claim', request, ...grace)).toContain('Claimed')
  expect(await cli.ok('requests', 'claim', request, '--release', ...grace)).toContain('Released')
  expect(await cli.ok('requests', 'comment', request, 'is it urgent?', ...grace)).toBe(
    'Commented.\n',
  )
  const day = new Date(Date.now() + 300 * 86_400_000).toISOString().slice(0, 10)
  expect(await cli.ok('requests', 'extend', request, day, ...grace)).toContain(day)
  const settle = ['--ran', 'no', '--then', 'again', '-m', 'x']
  expect((await cli.run('requests', 'settle', request, ...settle, ...grace)).code).toBe(1)
  expect((await cli.run('requests', 'revoke', request, '-m', 'x', ...grace)).code).toBe(1)
})

test.each([
  [['runs', 'ls', '--limit', '0'], 'a whole number from 1 to 200'],
  [['requests', 'ls', '--limit', '201'], 'a whole number from 1 to 200'],
  [['audit', 'tail', '--type', 'run.begun'], 'one of run.started'],
  [['keys', 'create', '--name', 'x', '--scopes', 'runs:read,decide'], 'some of runs:write'],
])('%j is a mistake in the use: exit code 2, and what would be right', async (args, remedy) => {
  const wrong = await cli.run(...args, ...ada)
  expect(wrong).toMatchObject({ code: 2, out: '', err: expect.stringContaining(remedy) })
})

test('runs are listed, told something and cancelled by who may', async () => {
  const { run } = await cli.waiting('scribe')
  expect(await cli.ok('runs', '--state', 'waiting_for_approval', ...ada)).toContain(run)
  expect(await cli.ok('runs', 'message', run, 'be brief', ...olga)).toContain('Sent')
  const stranger = await cli.run('runs', 'cancel', run, ...grace)
  expect(stranger.code).toBe(1)
  expect(await cli.ok('runs', 'cancel', run, '-m', 'not needed', ...olga)).toContain('cancelled')
  await cli.fails(1, 'already cancelled', 'runs', 'message', run, 'hello', ...olga)
})

test('a run whose approvers are all away says so once, and when the first of them is back', async () => {
  const until = new Date(Date.now() + 2.5 * 86_400_000).toISOString()
  const approvers = ['grace', 'linus', 'edsger'].map((name) => `${name}@example.com`)
  const sessions = await Promise.all(approvers.map((email) => installation.signIn(email)))
  await Promise.all(sessions.map((one) => one.put('/v1/me/absence', { until })))
  try {
    const { run } = await cli.waiting('scribe')
    const lines = (await cli.ok('runs', 'show', run, ...ada)).split('\n')
    expect(lines.filter((line) => line.includes('away'))).toEqual([
      expect.stringMatching(
        /^! A request in the queue platform may have to wait: .*Grace.* The first person is back in 2 days\.$/,
      ),
    ])
    const started = await cli.ok('run', 'scribe', 'Write it', '--no-watch', ...ada)
    expect(started).toMatch(/\n! A request in the queue platform may have to wait: .*Grace/)
    expect(await cli.json('run', 'scribe', 'Write it', '--no-watch', ...ada)).toMatchObject({
      warnings: [{ code: 'approvers_away', queue: 'platform' }],
    })
  } finally {
    await Promise.all(sessions.map((one) => one.delete('/v1/me/absence')))
  }
})

test('a trigger is listed, shown with a command that calls it, which starts a run with a key, paused and resumed', async () => {
  const { items } = await cli.json<{ items: object[] }>('triggers', ...ada)
  expect(items).toMatchObject([{ name: 'deploys', worker: 'scribe', hasSecret: false }])
  const text = await cli.ok('triggers', 'show', 'deploys', ...grace)
  expect(text).toContain('trigger deploys of scribe, as nobody\nno run yet\n')
  const [, curl = ''] = /(curl [^]*)$/.exec(text) ?? []
  const made = ['keys', 'create', '--name', 'hooks', '--owner', 'ada@example.com'] as const
  const { key } = await cli.json<{ key: string }>(...made, '--scopes', 'runs:write', ...ada)
  const env = { ...process.env, COUNTERSIGN_API_KEY: key }
  const { stdout } = await run('sh', ['-c', curl.replace('curl ', 'curl -s ')], { env })
  const { number } = JSON.parse(stdout) as { number: number }
  expect(await cli.ok('triggers', 'show', 'deploys', ...ada)).toContain(`last run #${number} `)
  await cli.fails(1, 'manageRuns', 'triggers', 'pause', 'deploys', ...grace)
  expect(await cli.ok('triggers', 'pause', 'deploys', ...olga)).toBe('Paused.\n')
  expect(await cli.ok('triggers', 'show', 'deploys', ...ada)).toContain('It is paused')
  expect(await cli.ok('triggers', 'resume', 'deploys', ...olga)).toMatch(/^Resumed\./)
  await cli.fails(1, 'no trigger nothing', 'triggers', 'show', 'nothing', ...ada)
})

test('a schedule is listed, shown, paused, resumed and triggered by its person and who manages runs, and by nobody else', async () => {
  const yearly = { name: 'yearly', worker: 'scribe', cron: '0 6 1 1 *', timezone: 'Europe/Berlin' }
  expect((await cli.json<ScheduleList>('schedules', ...ada)).items).toMatchObject([yearly])
  expect(await cli.ok('schedules', 'show', 'yearly', ...grace)).toMatch(
    /^schedule yearly of scribe, as Ada\n0 6 1 1 \* \(Europe\/Berlin\), next in .+\nno run yet\n$/,
  )
  for (const verb of ['pause', 'resume', 'trigger']) {
    await cli.fails(1, 'manageRuns', 'schedules', verb, 'yearly', ...grace)
  }
  expect(await cli.ok('schedules', 'pause', 'yearly', ...ada)).toBe('Paused.\n')
  expect(await cli.ok('schedules', 'show', 'yearly', ...ada)).toContain('next paused')
  expect(await cli.ok('schedules', 'resume', 'yearly', ...olga)).toMatch(/^Resumed\. .* in /)
  const started = await cli.json<{ number: number }>('schedules', 'trigger', 'yearly', ...olga)
  const { lastRun, paused } = await cli.json<Schedule>('schedules', 'show', 'yearly', ...ada)
  expect([lastRun?.number, paused]).toEqual([started.number, false])
  const output = await cli.ok('runs', 'show', String(started.number), '--preamble', ...ada)
  expect(output).toMatch(/started by Ada .*[^]*\nYou are the worker scribe of Countersign/)
  for (const command of [
    ['show', 'none'],
    ['pause', 'none'],
    ['trigger', hostile],
  ]) {
    const { code, err } = await cli.run('schedules', ...command, ...olga)
    expect([code, err]).toEqual([1, expect.stringMatching(/no (such )?schedule/)])
    expect(err).not.toContain('\u001b')
  }
  await cli.ok('runs', 'cancel', String(started.number), ...olga)
})

test('a callback that was given up is listed for the owner of the key, who sends it again', async () => {
  await using receiver = await openWebhookReceiver()
  receiver.answer = 410
  const scopes = 'requests:write,requests:read'
  const made = ['keys', 'create', '--name', 'deployer', '--owner', 'ada@example.com'] as const
  const { key } = await cli.json<{ key: string }>(...made, '--scopes', scopes)
  const reply = await fetch(`${installation.url}/v1/requests`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      tool: 'deploy',
      input: {},
      externalId: 'one',
      callbackUrl: receiver.url,
    }),
  })
  const { id, digest } = (await reply.json()) as { id: string; digest: string }
  await cli.ok('deny', id, '--digest', digest, '-m', 'not today', ...grace)
  const mine = ['webhooks', 'deliveries', '--mine', '--state', 'dead'] as const
  await waitUntil(async () => {
    const { body } = await session.get('/v1/webhooks/deliveries?mine=true&state=dead')
    return (body['items'] as unknown[]).length > 0
  })
  const [dead] = (await cli.json<WebhookDeliveryList>(...mine, ...ada)).items
  expect(dead).toMatchObject({ kind: 'callback', requestId: id, lastStatus: 410 })
  expect(await cli.ok('webhooks', 'deliveries', '--mine', ...grace)).toContain('No notifications.')
  expect(await cli.ok('webhooks', ...olga)).toContain('No endpoints.')
  await cli.fails(1, 'no such delivery', 'webhooks', 'resend', `${dead?.id}`, ...grace)
  receiver.answer = 204
  await cli.ok('webhooks', 'resend', `${dead?.id}`, ...ada)
  await waitUntil(() => receiver.received.length === 2)
  const program = createClient({ url: 'http://unused.example', apiKey: key })
  for (const { body, headers } of receiver.received) {
    const callback = await program.verifyCallback({ headers, body })
    expect(callback).toEqual({ requestId: id, externalId: 'one', state: 'denied' })
  }
})

test('a key from the command line starts and reads, and never decides', async () => {
  const scopes = ['--scopes', 'runs:write,runs:read,requests:read']
  const created = await cli.json<{ id: string; key: string }>(
    'keys create --name ci --owner ada@example.com',
    ...scopes,
  )
  const program = cli.with({ COUNTERSIGN_API_KEY: created.key, COUNTERSIGN_URL: installation.url })
  expect((await program.run('run', 'scribe', '{"task":"write"}', '--watch')).code).toBe(3)
  const { items } = await program.json<{ items: { number: number; digest: string }[] }>('requests')
  const [request] = items
  await program.fails(1, /machine/, `approve ${request?.number} --digest ${request?.digest}`)
  expect(await cli.ok('keys', ...ada)).toMatch(/runs:write,runs:read,requests:read .+ valid\n/)
  const again = ['keys', 'rotate', created.id, '--overlap'] as const
  await cli.fails(2, '24h', ...again, 'soon', ...ada)
  const rotated = (await cli.ok(...again, '0', ...ada)).trim()
  expect(rotated).toMatch(new RegExp(`^cs_${created.id}_`))
  expect((await program.run('runs')).code).toBe(1)
  expect(await cli.with({ COUNTERSIGN_API_KEY: rotated }).ok('runs')).toContain('scribe')
  expect(await cli.ok('keys', 'revoke', created.id, ...ada)).toBe('Revoked.\n')
  await program.fails(1, /does not take the key in COUNTERSIGN_API_KEY/, 'runs')
})

// Rules: security.md 38
test('a key for somebody else is proposed, and only they are shown it', async () => {
  const scopes = ['--scopes', 'runs:read'] as const
  const command = [
    'keys',
    'create',
    '--name',
    'ci',
    '--owner',
    'ada@example.com',
    ...scopes,
  ] as const
  const proposal = await cli.json<{ id: string; key: null }>(...command, ...olga)
  expect(proposal).toMatchObject({ key: null, owner: { email: 'ada@example.com' } })
  expect(await cli.ok(...command, ...olga)).toMatch(/ada@example.com. Only they see.*keys claim/s)
  await cli.fails(1, 'managePeople', ...command, ...grace)
  expect(await cli.ok('keys', 'proposals', ...ada)).toMatch(/ci +ada@.* +olga@/)
  expect((await cli.run('keys', 'claim', proposal.id, ...olga)).code).toBe(1)
  expect(await cli.ok('keys', 'claim', proposal.id, ...ada)).toMatch(/^cs_/)
  const { items } = await cli.json<{ items: { id: string }[] }>('keys', 'proposals', ...ada)
  expect(await cli.ok('keys', 'decline', items[0]?.id ?? '', ...ada)).toBe('Declined.\n')
  const others = await cli.run('people', 'link', 'ada@example.com', ...olga)
  expect([others.code, others.err]).toEqual([1, expect.stringContaining('another person')])
})

test('sessions are listed and ended, by their person and by who may', async () => {
  const { url } = await cli.json<{ url: string }>('people', 'link', 'grace@example.com')
  await cli.ok('login', url)
  const away = cli.with({ COUNTERSIGN_URL: new URL(url).origin })
  const hers = await away.json<SessionList>('sessions')
  const current = hers.items.find((session) => session.current)
  expect(current).toMatchObject({ device: 'Command line', method: 'link' })
  expect(await away.ok('sessions')).toMatch(/Command line +link .*this one/)
  await cli.fails(1, 'managePeople', 'sessions', '--person', 'grace@example.com', ...ada)
  const listed = await cli.ok('sessions', '--person', 'grace@example.com', ...olga)
  expect(listed).toContain(current?.id)
  expect(await cli.ok('sessions', 'end', current?.id ?? '', ...olga)).toBe('Ended.\n')
  expect((await away.run('sessions')).err).toContain('has ended')
  expect(await cli.ok('sessions', 'end-others', ...ada)).toMatch(/^Ended \d+ sessions?\.\n$/)
})

test('people are listed; a one-time link signs a terminal in once; whoever is disabled is out', async () => {
  expect(await cli.ok('people', ...ada)).toMatch(/grace@example.com +Grace +platform/)
  const { url } = await cli.json<{ url: string }>('people', 'link', 'linus@example.com')
  const login = cli.atTerminal('login', new URL(url).origin)
  await login.converse(
    ['Paste a one-time link', `\u001B[200~${url}\n\u001B[201~`],
    ['#link=', '\r'],
    'Signed in at',
  )
  const linus = cli.with({ COUNTERSIGN_URL: new URL(url).origin })
  expect(await linus.ok('requests', '--mine')).toContain('WORKER')
  await cli.fails(1, 'link', 'login', url)
  expect(await cli.ok('people', 'disable', 'linus@example.com', ...olga)).toBe(
    'Disabled, for good: this cannot be undone.\n',
  )
  await linus.fails(1, /has ended.*countersign login http.*--as EMAIL/, 'requests')
})

test('explain goes through the steps, and check through the files', async () => {
  const input = JSON.stringify({ path: 'notes/keep.md', content: 'x' })
  const asks = await cli.ok('explain', 'scribe', 'write_file', input, ...ada)
  expect(asks).toMatch(/^ask: /)
  expect(asks).toMatch(/STEP +OUTCOME +DETAIL/)
  const remove = JSON.stringify({ path: 'notes/keep.md' })
  const blocked = await cli.json('explain', 'scribe', 'delete_file', remove, ...ada)
  expect(blocked).toMatchObject({ verdict: 'blocked' })
  await cli.fails(2, 'not JSON', 'explain', 'scribe', 'write_file', '{', ...ada)
  const twice = '{"path":"a.md","path":"b.md"}'
  await cli.fails(2, '"path" is there twice', 'explain', 'scribe', 'read_file', twice, ...ada)
  const secret = `whsec_${Buffer.alloc(32).toString('base64')}`
  const checking = cli.with({ DEPLOYS_SECRET: secret })
  expect(await checking.json('check')).toEqual({ valid: true, problems: [] })
})

test('the trail is read and exported by who may, and an export is an event', async () => {
  const aud = ['--as', 'aud@example.com']
  expect(await cli.ok('audit', '--type', 'decision.recorded', ...aud)).toContain('Grace')
  const file = join(installation.folder, 'trail.jsonl')
  expect(await cli.ok('audit', 'export', '--out', file, ...aud)).toMatch(
    /trail.jsonl: [\d,]+ events, \d+ bytes/,
  )
  const link = join(installation.folder, 'link.jsonl')
  await symlink('countersign.yaml', link)
  const project = await readFile(join(installation.folder, 'countersign.yaml'), 'utf8')
  await cli.ok('audit', 'export', '--out', link, ...aud)
  expect(await readFile(link, 'utf8')).toContain('run.started')
  expect(await readFile(join(installation.folder, 'countersign.yaml'), 'utf8')).toBe(project)
  await cli.fails(2, 'is a folder', 'audit', 'export', '--out', installation.folder, ...aud)
  const events = (await readFile(file, 'utf8')).trimEnd().split('\n')
  expect(events.map((line) => (JSON.parse(line) as { type: string }).type)).toContain('run.started')
  expect(await cli.ok('audit', 'export', '--format', 'csv', ...aud)).toMatch(/^at,type,/)
  expect(await cli.ok('audit', '--type', 'audit.exported', ...aud)).toContain('audit.exported')
  await waitUntil(async () => {
    const { checkpoint, vkey } = await cli.json<SignedCheckpointView>('audit', 'key', ...aud)
    const signed = openCheckpoint(checkpoint, parseVerifierKey(vkey))
    return signed.size >= events.length || `${signed.size} of ${events.length} events are covered`
  })
})

test('a receipt of a request is kept in a file', async () => {
  const { request } = await cli.waiting('scribe')
  const file = join(installation.folder, 'receipt.json')
  const output = await cli.ok('requests', 'receipt', request, '--out', file, ...grace)
  expect(output).toMatch(/receipt\.json: \d+ bytes/)
  const folder = ['--out', installation.folder, ...grace]
  await cli.fails(2, 'is a folder', 'requests', 'receipt', request, ...folder)
  const { events, waiting: uncovered } = JSON.parse(await readFile(file, 'utf8')) as {
    events: unknown[]
    waiting: number
  }
  expect(events.length + uncovered).toBe(1)
})

test('a witness cosigns what goes on from what it saw, and keeps what does not', async () => {
  const key = (await cli.ok('audit', 'key', ...grace)).trim()
  const dir = join(installation.folder, 'witness')
  const witness = ['audit', 'witness', '--key', key, '--dir', dir, ...grace]
  expect(await cli.ok(...witness)).toMatch(
    /^[\d,]+ events, cosigned as countersign-witness\/[0-9a-f]+/,
  )
  const [kept = ''] = (await readdir(dir)).filter((name) => name.startsWith('checkpoint-'))
  const note = await readFile(join(dir, kept), 'utf8')
  const { size } = openCheckpoint(note, parseVerifierKey(key))
  const [origin, , root = '', ...rest] = note.split('\n')
  const other = Buffer.from(Buffer.from(root, 'base64').toReversed()).toString('base64')
  await writeFile(join(dir, kept), [origin, size, other, ...rest].join('\n'))
  await cli.fails(1, 'witnessed', ...witness)
  expect((await readdir(dir)).some((name) => name.startsWith('contradiction-'))).toBe(true)
  await cli.fails(2, 'name+hash+base64', ...witness.with(3, 'key'))
})

test('who is asking is asked for by name, and only people of the project are taken', async () => {
  // Nobody has signed this terminal in.
  const fresh = cli.with({ XDG_CONFIG_HOME: join(installation.folder, '.fresh') })
  const nobody = await fresh.run('requests')
  expect([nobody.code, nobody.err]).toEqual([2, expect.stringMatching(/--as EMAIL, one of .*ada@/)])
  await cli.fails(1, /names nobody .*eve@/, 'requests', '--as', 'eve@example.com')
  const from = cli.with({ COUNTERSIGN_AS: 'grace@example.com' })
  expect((await from.run('requests')).code).toBe(0)
})

// Rules: product.md 5
test('a manual tool is listed and invoked from the terminal, and asks somebody else', async () => {
  const { out } = await cli.run('run', 'hands', 'please', ...ada)
  const [, run = ''] = /^run (\S+) of/.exec(out) ?? []
  expect(await cli.ok('runs', 'call', run, ...ada)).toMatch(/^write_file {2}/m)
  const input = JSON.stringify({ path: 'notes/by-hand.md', content: 'by hand\n' })
  const called = await cli.json<{ requestId: string }>(
    'runs',
    'call',
    run,
    'write_file',
    input,
    ...ada,
  )
  const output = await cli.ok('requests', 'show', called.requestId, ...grace)
  expect(output).toContain('Ada wants this, by hand, in a run of hands')
  const digest = await digestOf(called.requestId)
  await cli.fails(1, 'you', 'approve', called.requestId, '--digest', digest, ...ada)
  await cli.ok('approve', called.requestId, '--digest', digest, ...grace)
  await waitUntil(async () => {
    const { body } = await session.get(`/v1/runs/${run}/transcript`)
    return JSON.stringify(body).includes('invoked the tool write_file')
  })
  expect(await cli.ok('runs', 'show', run, ...ada)).toContain('invoked the tool write_file')
  expect(await readFile(join(installation.folder, 'notes/by-hand.md'), 'utf8')).toBe('by hand\n')
  expect((await cli.run('runs', 'call', run, 'write_file', 'no json', ...ada)).code).toBe(2)
  await cli.fails(1, 'manual tools', `runs call ${run} read_file {"path":"notes/a.md"}`, ...ada)
  await cli.ok('runs', 'cancel', run, ...ada)
  await cli.fails(1, 'already cancelled', 'runs', 'call', run, 'write_file', input, ...ada)
})

// Rules: product.md 23
test('a question is answered from the terminal, with one of its choices; a run below is watched and shown', async () => {
  const { run, request } = await cli.waiting('asker')
  expect(await cli.ok('runs', '--worker', 'asker', ...ada)).toMatch(/ 1 to answer\n/)
  const approved = await cli.run('approve', request, '--digest', await digestOf(request), ...grace)
  expect([approved.code, approved.err]).toEqual([
    1,
    expect.stringContaining(`countersign answer ${request}`),
  ])
  expect((await cli.run('answer', request, 'the last', ...grace)).code).toBe(1)
  // Who started the run may answer too, and with one of the choices alone.
  expect((await cli.run('answer', request, 'both', ...ada)).err).toContain('one of the choices')
  expect(await cli.ok('answer', request, 'the first', ...grace)).toContain('The agent reads it')
  await untilState(run, 'waiting_for_approval')
  // Grace is behind the run by now, as who answered it (product.md 17).
  const edsger = ['--as', 'edsger@example.com']
  const { items } = await cli.json<{
    items: { number: number; digest: string; kind: string }[]
  }>('requests', 'ls', '--run', run, ...edsger)
  const delegation = items.find((item) => item.kind === 'tool_call')
  const number = String(delegation?.number)
  expect((await cli.run('answer', number, 'yes', ...edsger)).err).toContain('is not a question')
  await cli.ok('approve', number, '--digest', delegation?.digest ?? '', ...edsger)
  let child = ''
  await waitUntil(async () => {
    const { body } = await session.get(`/v1/runs/${run}`)
    const [started] = body['children'] as { runId: string; state: string }[]
    child = started?.runId ?? ''
    return started?.state === 'waiting_for_approval'
  })
  expect(await cli.ok('runs', 'show', run, ...ada)).toMatch(
    /started run \S+ of scribe, waiting_for_approval/,
  )
  const below = await cli.ok('runs', 'show', child, ...ada)
  expect(below).toContain('asker › scribe')
})

test('evidence of everything that happened here is exported, and verified offline', async () => {
  const key = (await cli.ok('audit', 'key', ...grace)).trim()
  const aud = ['--as', 'aud@example.com']
  const folder = join(installation.folder, 'evidence')
  const log = join(folder, 'log')
  await mkdir(folder)
  expect(await cli.ok('audit', 'export', '--log', '--out', log, ...aud)).toMatch(
    /: [\d,]+ events, [\d,]+ files/,
  )
  const whole = await cli.json<{ verdicts: Verdict[] }>('audit', 'verify', log, '--key', key)
  expect(whole.verdicts.flatMap(({ findings }) => findings)).toEqual([])
  expect(
    await cli.ok('audit', 'verify', log, '--key', key, '--since', join(log, 'checkpoint')),
  ).toMatch(/^integrity +holds[^]*freshness +holds/)
  const bundle = join(folder, 'request.json')
  await cli.ok('audit export --request 1 --since', join(log, 'checkpoint'), '--out', bundle, ...aud)
  const one = await cli.json<{ verdicts: Verdict[] }>('audit', 'verify', bundle, '--key', key)
  expect(one.verdicts.flatMap(({ findings }) => findings)).toEqual([])

  await writeFile(bundle, (await readFile(bundle, 'utf8')).replace('run.started', 'run.startled'))
  const changed = await cli.run('audit', 'verify', bundle, '--key', key)
  expect([changed.code, changed.out]).toEqual([1, expect.stringMatching(/integrity +FAILS/)])
  await writeFile(bundle, '{}')
  expect((await cli.run('audit', 'verify', bundle, '--key', key)).code).toBe(2)
  const noKey = join(folder, 'log.vkey')
  await writeFile(noKey, '\n')
  await cli.fails(2, 'log.vkey is empty', 'audit', 'verify', bundle, '--key', noKey)
  await writeFile(bundle, Buffer.from([0x22, 0xff, 0x22]))
  expect(await cli.run('audit', 'verify', bundle, '--key', key)).toMatchObject({
    code: 2,
    err: expect.stringContaining('is not UTF-8'),
  })
  expect((await cli.run('audit', 'export', '--log', ...aud)).code).toBe(2)
})

test('old runs are counted and archived by who may read the trail; the trail says what the archive was', async () => {
  const aud = ['--as', 'aud@example.com']
  expect((await cli.run('run', 'idle', 'please', '--watch', ...ada)).code).toBe(0)
  expect(await cli.ok('retention', ...aud)).toMatch(
    /the messages and results of every run are kept/,
  )
  expect(await cli.ok('retention', '--transcripts', '1s', '--records', '30d', ...aud)).toMatch(
    /transcripts: 1s: the messages and results of \d+ runs? would be removed\.\nrecords: 30d: 0 outbox, .*sign in links/,
  )
  const out = join(installation.folder, 'runs.jsonl')
  const until = new Date(Date.now() + 60_000).toISOString()
  const output = await cli.ok('archive', '--before', until, '--out', out, ...aud)
  const [, runs, digest = ''] = /: (\d+) runs?, (sha256:[0-9a-f]{64})\n$/.exec(output) ?? []
  const lines = (await readFile(out, 'utf8')).trim().split('\n')
  expect(lines).toHaveLength(Number(runs))
  expect(JSON.parse(lines[0] ?? '')).toHaveProperty('transcript')
  const events = await cli.ok('audit', 'export', '--type', 'audit.exported', ...aud)
  expect(events).toContain(digest)
  expect((await cli.run('archive', '--before', until, '--out', out, ...aud)).code).toBe(1)
  expect((await cli.run('retention', ...ada)).code).toBe(1)
})
