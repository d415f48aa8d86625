import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitUntil } from '../harness/wait-until.ts'
import { ContractDesk } from './contract-desk.ts'
import { contractConfig, scriptedWorker, writerTo } from './contract-project.ts'
import { testPrograms } from './programs.ts'

const reads = { tool: 'read_file', input: { path: 'notes/old.md' } }
let desk: ContractDesk

beforeAll(async () => {
  desk = await ContractDesk.open({
    'countersign.yaml': contractConfig,
    ...writerTo('plain'),
    ...scriptedWorker('limited', [[reads], [reads], [reads]], 'limits: { turns: 2 }'),
    ...scriptedWorker('closed', [[reads]], 'startableBy: [security]'),
    'src/a.ts': 'x\n',
    'notes/old.md': 'x\n',
    'scratch/readme.txt': 'x\n',
    '.github/readme.md': 'x\n',
  })
}, 240_000)
afterAll(() => desk?.[Symbol.asyncDispose]())

describe('inputs that nobody should send', () => {
  test('are refused with their field, and never with a 500', async () => {
    const alan = await desk.as('alan')
    const start = { worker: 'to-plain', input: 'go' }
    for (const [body, status, code] of [
      [{ ...start, worker: 'none' }, 404, 'unknown_worker'],
      [{ ...start, worker: '../to-plain' }, 422, 'invalid_request'],
      [{ ...start, worker: 'closed' }, 403, 'forbidden'],
      [{ ...start, mode: 'approve_all' }, 403, 'mode_not_permitted'],
      [{ ...start, mode: ['strict', 'prompt'] }, 422, 'invalid_request'],
      [{ ...start, more: 1 }, 422, 'invalid_request'],
      [{ ...start, input: 5 }, 422, 'invalid_request'],
      [{ ...start, input: 'a\0' }, 422, 'invalid_request'],
      [{ ...start, attachments: ['../../etc/passwd'] }, 422, 'invalid_request'],
    ] as const) {
      expect(await alan.post('/v1/runs', body)).toMatchObject({ status, body: { status, code } })
    }
    for (const query of [
      'state=x',
      'limit=0',
      'limit=201',
      'cursor=x',
      'mine=1',
      'sort=x',
      'none=1',
    ]) {
      expect(await alan.get(`/v1/requests?${query}`)).toMatchObject({
        status: 422,
        body: { code: 'invalid_request' },
      })
    }
  })

  test('decide only by the literal words, whole and with a digest', async () => {
    const request = await desk.pending(await desk.run('to-plain'))
    for (const decision of [true, 1, null, 'yes', 'Approve']) {
      expect(await desk.decide(request, { decision })).toMatchObject({
        status: 422,
        body: { code: 'invalid_request' },
      })
    }
    expect(await desk.decide(request, { digest: null })).toMatchObject({
      status: 428,
      body: { code: 'digest_required' },
    })
    expect(await desk.decide(request, { digest: `sha256:${'0'.repeat(64)}` })).toMatchObject({
      status: 412,
      body: { code: 'stale_digest', digest: request.digest, revision: 1 },
    })
    expect((await desk.request(request.id)).state).toBe('pending')
  })
})

test('a key starts runs and never decides; numbers beyond a double are refused', async () => {
  const scopes = 'runs:write,runs:read,requests:read,requests:write'
  const named = ['--name', 'ci', '--owner', 'alan@example.com', '--scopes', scopes]
  const made = await desk.cli('keys', 'create', ...named, '--json')
  const { id, key } = JSON.parse(made.stdout) as { id: string; key: string }
  expect(key).toMatch(new RegExp(`^cs_${id}_`))
  const post = (path: string, body: string) =>
    fetch(desk.installation.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    })
  const huge = await post('/v1/runs', '{"worker":"to-plain","input":{"a":1e400}}')
  expect([huge.status, ((await huge.json()) as { code: string }).code]).toEqual([
    422,
    'invalid_request',
  ])
  const started = await post('/v1/runs', '{"worker":"to-plain","input":"go"}')
  const run = (await started.json()) as { id: string; startedBy: { name: string } }
  expect([started.status, run.startedBy.name]).toEqual([201, 'Alan'])
  const request = await desk.pending(run.id)
  const { digest, revision } = request
  const decided = await post(
    `/v1/requests/${request.id}/decisions`,
    JSON.stringify({ decision: 'approve', digest, revision }),
  )
  expect(decided.status).toBe(403)
})

test('a limit ends in waiting for input, and a message gives as much again', async () => {
  const run = await desk.run('limited')
  expect(await desk.until(run, ['waiting_for_input'])).toMatchObject({
    failure: { code: 'limit_turns' },
    turns: 2,
  })
  await (await desk.as('alan')).post(`/v1/runs/${run}/messages`, { text: 'go on' })
  expect(await desk.until(run, ['completed'])).toMatchObject({ output: 'Done.', turns: 4 })
})

testPrograms(() => desk)

describe('the command line', () => {
  test('says what a denial that stops did, and exits as the contract says', async () => {
    const as = (name: string) => ['--as', `${name}@example.com`]
    const watched = await desk.cli('run', 'to-plain', 'go', '--watch', ...as('alan'))
    expect(watched.code).toBe(3)
    expect((await desk.cli('run', 'to-plain', ...as('alan'))).code).toBe(2)
    expect((await desk.cli('run', 'none', 'go', ...as('alan'))).code).toBe(1)
    const [, number = ''] = /^#(\d+)/m.exec(watched.stdout) ?? []
    expect((await desk.cli('approve', number, ...as('grace'))).code).toBe(2)
    const { digest } = await desk.request(number)
    const denied = await desk.cli('deny', number, '--stop', '--digest', digest, ...as('grace'))
    expect(denied.code).toBe(0)
    expect(denied.stdout).toContain('The run stops and waits for a message.')
  })
})

describe('a changed project folder', () => {
  const inForce = async () =>
    (await (await desk.as('alan')).get('/v1/workers')).body['policyDigest']
  const changeConfig = (text: string) =>
    writeFile(join(desk.installation.folder, 'countersign.yaml'), text)

  test('takes force by itself, is told with where it comes from, and never when it is invalid', async () => {
    const before = await inForce()
    await changeConfig(contractConfig.replace('Monday', 'Friday'))
    await waitUntil(async () => (await inForce()) !== before)
    const edsger = await desk.as('edsger')
    const activated = await edsger.get('/v1/audit?type=policy.activated&limit=1')
    expect(activated.body['items']).toMatchObject([
      { actor: { type: 'system' }, detail: { note: 'uncommitted', settings: ['overlays'] } },
    ])
    const valid = await inForce()
    await changeConfig(`${contractConfig}unknown: 1\n`)
    await waitUntil(async () => {
      const { body } = await edsger.get('/v1/audit?type=policy.rejected&limit=1')
      return (body['items'] as unknown[]).length === 1
    })
    expect(await inForce()).toBe(valid)
    const checked = await desk.cli('check')
    expect(checked.code).toBe(1)
    expect(checked.stdout).toMatch(/^countersign\.yaml:\d+ .*unknown key "unknown"/m)
    await changeConfig(contractConfig)
    await waitUntil(async () => (await inForce()) === before)
  })

  test('a hang-up ends nothing: every process reads on', async () => {
    const { installation } = desk
    const names = ['api', 'temporal-worker'] as const
    const pids = await Promise.all(names.map((name) => installation.pidOf(name)))
    for (const pid of pids) process.kill(pid, 'SIGHUP')
    const run = await desk.run('to-plain')
    expect(await desk.decide(await desk.pending(run))).toMatchObject({
      body: { execution: { state: 'succeeded' } },
    })
    expect(await Promise.all(names.map((name) => installation.pidOf(name)))).toEqual(pids)
    expect(await readFile(join(installation.folder, 'plain', 'file.txt'), 'utf8')).toBe(
      'text of plain\n',
    )
  })
})
