import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callDigest, callbackSecret } from '#program-client'
import { closeServer, listenHere } from '../../harness/listen.ts'
import { packPython, type PythonFiles } from '../../../scripts/packages/packages.ts'
import { ContractDesk } from '../../contract/contract-desk.ts'
import { contractConfig, writerTo } from '../../contract/contract-project.ts'
import { answerCases, openAnswers } from '../../packages/client-answers.ts'
import { runProgram } from '../../packages/packed.ts'

/**
 * Every Python of this machine that the package supports and that can install it, one for each
 * version. A machine without one, or without the package index, says so and skips these tests.
 */
const pythons = new Map<string, string>()
for (const name of ['python3', ...[10, 11, 12, 13, 14].map((minor) => `python3.${minor}`)]) {
  const { stdout } = await runProgram(name, ['--version']).catch(() => ({ stdout: '' }))
  const [, version, minor] = /^Python (3[.](\d+))/.exec(stdout) ?? []
  if (version === undefined || Number(minor) < 10 || pythons.has(version)) continue
  const place = await mkdtemp(join(tmpdir(), 'countersign python '))
  const download = ['-m', 'pip', 'download', '--quiet', '--dest', place, 'rfc8785']
  const problem = await runProgram(name, ['-c', 'import ensurepip, venv'])
    .then(() => runProgram(name, download))
    .then(() => null)
    .catch((error: Error) => error.message)
  if (problem === null) pythons.set(version, name)
  else console.log(`Python ${version} is skipped: ${problem}`)
  await rm(place, { recursive: true })
}

const acts = `
import asyncio, json, os
from countersign import AsyncClient, Client, CountersignError

options = {"url": os.environ["COUNTERSIGN_URL"], "api_key": os.environ["COUNTERSIGN_API_KEY"]}
external_id = os.environ["EXTERNAL_ID"]
call = {"externalId": external_id, "text": "ü\\u2028", "share": 1.0}
ran = []

def main():
    client = Client(**options)
    asked = client.ask("release", call, external_id=external_id)
    assert client.find(external_id).id == asked.id
    decision = client.decision(asked.id, wait=60)
    permit = client.consume(asked.id, decision.digest)
    codes = []
    for attempt in (
        lambda: client.consume(asked.id, decision.digest),
        lambda: client.gate("release", call, ran.append, external_id=external_id),
        lambda: client.gate("release", call, ran.append, external_id=external_id + "-denied"),
        lambda: client.resume("release", call, ran.append, external_id=external_id),
        lambda: client.consume("../../v1/keys", decision.digest),
        lambda: Client(url="http://127.0.0.1:9", api_key="x", timeout=1).withdraw("r1"),
    ):
        try:
            attempt()
        except CountersignError as error:
            codes.append([type(error).__name__, error.code])
    client.report(asked.id, "succeeded", "rolled out")
    for wrong in (2**53 + 1, float("nan"), "\\ud800"):
        try:
            client.ask("release", {"x": wrong})
        except ValueError:
            codes.append("refused")
    return {"state": decision.state, "decidedBy": decision.decided_by, "isPermit": permit.digest == decision.digest, "codes": codes}

async def later():
    client = AsyncClient(**options)
    async def execute(allowed):
        return allowed.input
    # As a process that died would have asked.
    asked = {**call, "async": True}
    await client.ask("release", asked, external_id=external_id + "-async")
    return await client.resume("release", asked, execute, external_id=external_id + "-async")

result = main()
result["async"] = asyncio.run(later())["async"]
print(json.dumps({**result, "ran": ran}))
`

const callback = `
import json, sys
from countersign import Client, CountersignError, call_digest

cases = json.load(sys.stdin)
client = Client(url="http://unused.example", api_key=cases["apiKey"])
said = []
for case in cases["callbacks"]:
    try:
        said.append(client.verify_callback(case["body"], case["headers"]).state)
    except CountersignError as error:
        said.append(error.code)
print(json.dumps({"said": said, "digest": call_digest(**cases["call"])}))
`

const answers = `
import json, sys
from concurrent.futures import ThreadPoolExecutor
from countersign import Client, CountersignError

def outcome(one):
    client = Client(url=one["url"], api_key="cs_key", timeout=one["timeoutSeconds"])
    method = one["method"]
    try:
        if method == "ask":
            return {"state": client.ask("deploy", {}).state}
        if method == "find":
            found = client.find("e1")
            return {"state": found and found.state}
        if method == "decision":
            decision = client.decision("r1")
            return {"state": decision.state, "by": decision.decided_by, "reason": decision.reason}
        if method == "consume":
            return str(client.consume("r1", "sha256:0"))
        return client.report("r1", "failed")
    except CountersignError as error:
        return {"code": error.code, "status": error.status, "message": str(error)}

with ThreadPoolExecutor(80) as pool:
    print(json.dumps(list(pool.map(outcome, json.load(sys.stdin)))))
`

/** Asks a service whose first answer never comes. */
const unanswered = `
import asyncio, contextlib, sys
from countersign import AsyncClient, Client, CountersignError

options = {"url": sys.argv[1], "api_key": "x", "timeout": 1}

def fails(act):
    try:
        act()
        raise SystemExit("it was answered")
    except CountersignError as error:
        assert error.code == "unavailable", error.code

async def ends(act, cancels):
    task = asyncio.create_task(act())
    if cancels:
        await asyncio.sleep(0.3)
        task.cancel()
    try:
        await task
        raise SystemExit("it was answered")
    except (asyncio.CancelledError, CountersignError):
        pass

async def later():
    client = AsyncClient(**options)
    await ends(lambda: client.ask("deploy", {}), True)
    await ends(lambda: client.ask("deploy", {}), False)
    await ends(lambda: client.take("deploy", {}, wait=1), False)
    await ends(lambda: client.ask("named", {}, external_id="named"), True)

fails(lambda: Client(**options).ask("deploy", {}))
fails(lambda: Client(**options).ask("named", {}, external_id=""))
asyncio.run(later())
`

const rest = `
import asyncio, json, sys
from countersign import AsyncClient, Client, CountersignError

url, asked = sys.argv[1], []
for address, key in (
    ("localhost", "k"),
    ("ftp://localhost:9", "k"),
    ("http://", "k"),
    ("http://a:b@localhost:9", "k"),
    ("http://localhost:port", "k"),
    ("http://localhost:65536", "k"),
    ("http://localhost:9", "ключ"),
):
    try:
        Client(url=address, api_key=key, timeout=600).ask("deploy", {})
    except ValueError as error:
        asked.append("refused")
Client(url=url, api_key="k", timeout=5).report("r1", "failed", "🚀" * 4000 + "\\ud83d")

async def cancelled(tool="deploy", **more):
    task = asyncio.create_task(AsyncClient(url=url, api_key="k").take(tool, {}, **more))
    while (await asyncio.to_thread(input)) != "waits":
        pass
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        asked.append("cancelled")

asyncio.run(cancelled())
asyncio.run(cancelled(on_cancel="leave"))
asyncio.run(cancelled("late"))
print(json.dumps(asked))
`

/** A service that is away for an hour before its first decision and before its first permit. */
const hours = `
import asyncio, json
from countersign import AsyncClient, Client, call_digest
from countersign import _client, _transport

class Clock:
    now = 0.0

    @classmethod
    def monotonic(cls):
        return cls.now

def sleep(seconds, stop):
    Clock.now += seconds

_client.time = _transport.time = Clock
_transport._sleep = sleep
digest = call_digest(tool="deploy", input={}, tool_hash="sha256:1")
statement = {"requestId": "r1", "digest": digest, "decision": "approve", "expiresAt": "9999-01-01T00:00:00Z"}
permit = {"permitId": "p1", "requestId": "r1", "digest": digest, "expiresAt": statement["expiresAt"],
          "statement": json.dumps(statement), "signature": "", "keyId": "k1"}
request = {"id": "r1", "number": 7, "state": "approved", "digest": digest, "revision": 1, "tool": "deploy", "input": {},
           "facts": {"toolHash": "sha256:1"}, "external": None, "decisions": [], "cancelReason": None}

class Away:
    def __init__(self):
        self.sent, self.until = [], {}

    def __call__(self, service, method, path, body, timeout, request_id):
        act = path.split("/")[-1].split("?")[0]
        if act in ("r1", "consume") and Clock.now < self.until.setdefault(act, Clock.now + 3600):
            self.sent.append([act, Clock.now])
            raise OSError("nobody is there")
        self.sent.append([act, None])
        return {"permit": permit} if act == "consume" else request

def gate(run):
    _transport._send_once, ran, began = (away := Away()), [], Clock.now
    run(ran)
    gaps = [later - one for (_, one), (_, later) in zip(away.sent, away.sent[1:]) if one and later]
    answered = [act for act, at in away.sent if at is None]
    return {"ran": ran, "answered": answered, "tries": len(away.sent), "gap": max(gaps), "took": Clock.now - began}

options = {"url": "http://unused.example", "api_key": "k"}

async def later(ran):
    async def execute(allowed):
        ran.append(allowed.input)
    await AsyncClient(**options).gate("deploy", {}, execute)

print(json.dumps([
    gate(lambda ran: Client(**options).gate("deploy", {}, lambda allowed: ran.append(allowed.input))),
    gate(lambda ran: asyncio.run(later(ran))),
]))
`

/** A service that answers one message after 8 s, and no other; what each had in seconds. */
const patience = `
import asyncio, json, threading
from countersign import AsyncClient, Client, CountersignError
from countersign import _gate, _transport

class Clock:
    now = 0.0

    @classmethod
    def monotonic(cls):
        return cls.now

class Slow:
    def __init__(self, answers_at, hangs_at=None):
        self.answers_at, self.hangs_at, self.hangs, self.sent = answers_at, hangs_at, threading.Event(), []

    def __call__(self, service, method, path, body, timeout, request_id):
        self.sent.append([path.split("/")[-1], timeout])
        if len(self.sent) == self.answers_at:
            Clock.now += 8
            return {"id": "r1", "number": 7, "state": "pending"}
        if len(self.sent) == self.hangs_at:
            self.hangs.set()
            service.stop.wait()
        else:
            Clock.now += timeout
        raise TimeoutError("timed out")

_gate.time = _transport.time = Clock
options = {"url": "http://unused.example", "api_key": "k"}

def unanswered():
    _transport._send_once = service = Slow(answers_at=2)
    try:
        Client(**options, timeout=30).ask("deploy", {})
    except CountersignError:
        return service.sent

async def cancelled(method, **when):
    _transport._send_once = service = Slow(**when)
    task = asyncio.create_task(getattr(AsyncClient(**options, timeout=1), method)("deploy", {}))
    await asyncio.to_thread(service.hangs.wait)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        return service.sent

print(json.dumps({
    "unanswered": unanswered(),
    "ask": asyncio.run(cancelled("ask", answers_at=2, hangs_at=1)),
    "take": asyncio.run(cancelled("take", answers_at=1, hangs_at=2)),
}))
`

const example = fileURLToPath(new URL('../../../examples/programs/gate.py', import.meta.url))

let desk: ContractDesk
let folder: string
let environment: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign python '))
  desk = await ContractDesk.open({ 'countersign.yaml': contractConfig, ...writerTo('plain') })
  const scopes = ['requests:write', 'requests:read']
  const made = await (await desk.as('alan')).post('/v1/keys', { name: 'robot', scopes })
  environment = {
    COUNTERSIGN_URL: desk.installation.url,
    COUNTERSIGN_API_KEY: String(made.body['key']),
  }
})
afterAll(async () => {
  await desk?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

describe.skipIf(pythons.size === 0).each([...pythons])('under Python %s', (version, python) => {
  let installed: string
  let files: PythonFiles

  beforeAll(async () => {
    const place = join(folder, version)
    await mkdir(place)
    files = await packPython(place)
    await runProgram(python, ['-m', 'venv', join(place, 'venv')])
    installed = join(place, 'venv', 'bin', 'python')
    await runProgram(installed, ['-m', 'pip', 'install', '--quiet', join(place, files.wheel)])
  })

  test('pip builds of the source distribution the very wheel that is published', async () => {
    const place = join(folder, version)
    const again = join(place, 'again')
    const offline = ['--no-index', '--no-deps', '--wheel-dir', again, join(place, files.sdist)]
    await runProgram(installed, ['-m', 'pip', 'wheel', '--quiet', ...offline])
    expect(await readdir(again)).toEqual([files.wheel])
    const [published, built] = await Promise.all(
      [place, again].map((parent) => readFile(join(parent, files.wheel))),
    )
    expect(built?.equals(published as Buffer)).toBe(true)
  })

  test('a program with the wheel asks, waits, takes and tells, and is refused as the contract says', async () => {
    const file = join(folder, version, 'acts.py')
    await writeFile(file, acts)
    const running = runProgram(installed, [file], {
      env: { ...process.env, ...environment, EXTERNAL_ID: randomUUID() },
    })
    // Read when both requests are decided.
    running.catch(() => undefined)
    const decide = async (decision: string): Promise<void> =>
      desk.decideForProgram(await desk.pendingOfProgram('release'), decision)
    await decide('approve')
    await decide('deny')
    await decide('approve')
    expect(JSON.parse((await running).stdout)).toEqual({
      state: 'approved',
      decidedBy: 'Grace',
      isPermit: true,
      codes: [
        ['CountersignError', 'already_consumed'],
        ['AlreadyTakenError', 'already_consumed'],
        ['DeniedError', 'denied'],
        ['AlreadyTakenError', 'already_consumed'],
        ['CountersignError', 'not_found'],
        ['CountersignError', 'unavailable'],
        'refused',
        'refused',
        'refused',
      ],
      async: true,
      ran: [],
    })
  })

  test('the example runs what was approved, and says who denied the call and why', async () => {
    const env = { ...process.env, ...environment }
    const gate = (input: object) =>
      runProgram(installed, [example, 'reindex', JSON.stringify(input)], { env })
    const running = gate({ table: 'ümläut', rows: 3, python: version })
    running.catch(() => undefined)
    const request = await desk.pendingOfProgram('reindex')
    await desk.decideForProgram(request, 'approve')
    expect((await running).stdout).toBe(
      `ran {"python": "${version}", "rows": 3, "table": "\\u00fcml\\u00e4ut"}\n`,
    )
    expect((await desk.request(request.id)).execution.state).toBe('succeeded')
    const denied = gate({ python: version }).catch((error: unknown) => error)
    await desk.decideForProgram(await desk.pendingOfProgram('reindex'), 'deny')
    expect(await denied).toMatchObject({
      code: 1,
      stderr: 'denied: Grace denied this: looked at it\n',
    })
  })

  test('hostile and broken answers end as for the other client', async () => {
    await using servers = new AsyncDisposableStack()
    const opened = await Promise.all(
      answerCases.map(async (one) => ({ one, server: servers.use(await openAnswers(one)) })),
    )
    const running = runProgram(installed, ['-c', answers])
    const cases = opened.map(({ one, server }) => ({ ...one, url: server.url }))
    running.child.stdin?.end(JSON.stringify(cases))
    const outcomes = JSON.parse((await running).stdout) as object[]
    for (const [index, { one, server }] of opened.entries()) {
      expect(outcomes[index], one.name).toMatchObject(one.result)
      if (one.sent !== undefined) expect(server.paths, one.name).toHaveLength(one.sent)
    }
  })

  test('what can never be sent is refused at once, and a cancelled wait or opening withdraws the request', async () => {
    const got: { url: string; body: string }[] = []
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const url = request.url ?? ''
        got.push({ url, body })
        const isLate = body.includes('"late"')
        const isFirst = got.filter((one) => one.body.includes('"late"')).length === 1
        if (url.includes('wait') || (isLate && isFirst))
          return running.child.stdin?.write('waits\n')
        const id = isLate ? 'r2' : 'r1'
        return response.end(JSON.stringify({ id, number: 1, state: 'pending' }))
      })
    })
    const port = await listenHere(server)
    const running = runProgram(installed, ['-c', rest, `http://127.0.0.1:${port}`])
    const { stdout } = await running
    await closeServer(server)
    const cancelled = ['cancelled', 'cancelled', 'cancelled']
    expect(JSON.parse(stdout)).toEqual([...Array(7).fill('refused'), ...cancelled])
    expect(got.map(({ url }) => url.replace('/v1/requests', ''))).toEqual([
      '/r1/outcome',
      '',
      '/r1?wait=50',
      '/r1/withdraw',
      '',
      '/r1?wait=50',
      '',
      '',
      '/r2/withdraw',
    ])
    // Both messages open one request.
    expect(got.at(-2)?.body).toBe(got.at(-3)?.body)
    // Both clients cut at 4,000 units of UTF-16; the service takes 4,000 characters.
    expect(JSON.parse(got[0]?.body ?? '').summary).toBe('🚀'.repeat(2000))
  })

  // Rules: product.md 47
  test('no request is left that nobody could find again: after a time limit, nor a cancelled `ask`', async () => {
    const states = new Map<string, string>()
    const openings = new Map<string, number>()
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const [, id = ''] = /([^/]+)[/]withdraw$/.exec(request.url ?? '') ?? []
        if (id !== '') {
          states.set(id, 'cancelled')
          return response.end('{}')
        }
        const { externalId, tool } = JSON.parse(body) as { externalId: string; tool: string }
        openings.set(externalId, (openings.get(externalId) ?? 0) + 1)
        if (!states.has(externalId)) states.set(externalId, 'pending')
        // The answer to the first message is lost.
        if (openings.get(externalId) === 1 || tool === 'named') return
        response.end(JSON.stringify({ id: externalId, number: 1, state: 'pending' }))
      })
    })
    const port = await listenHere(server)
    await runProgram(installed, ['-c', unanswered, `http://127.0.0.1:${port}`])
    await closeServer(server)
    const { named, '': blank, ...unnamed } = Object.fromEntries(states)
    expect(Object.values(unnamed)).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled'])
    expect([named, blank]).toEqual(['pending', 'pending'])
  })

  test('a request is taken back within 10 s, also if a cancellation ended a call with a shorter limit', async () => {
    const { stdout } = await runProgram(installed, ['-c', patience])
    expect(JSON.parse(stdout)).toEqual({
      unanswered: [
        ['requests', 30],
        ['requests', 10],
        ['withdraw', 2],
      ],
      ask: [
        ['requests', 1],
        ['requests', 10],
        ['withdraw', 2],
      ],
      take: [
        ['requests', 90],
        ['r1?wait=50', 90],
        ['withdraw', 10],
      ],
    })
  })

  // Rules: product.md 47
  test('both clients wait for a service that is away for an hour, twice, and run the call once', async () => {
    const { stdout } = await runProgram(installed, ['-c', hours])
    for (const waited of JSON.parse(stdout) as Record<string, number>[]) {
      expect(waited).toMatchObject({
        ran: [{}],
        answered: ['requests', 'r1', 'consume', 'outcome'],
      })
      expect(waited['took']).toBeGreaterThanOrEqual(7200)
      expect(waited['took']).toBeLessThan(7200 + 20)
      expect(waited['gap']).toBeLessThan(11)
      expect(waited['tries']).toBeLessThan(1600)
    }
  })

  test('the key is sent to no address that the service redirects to', async () => {
    const reached: unknown[] = []
    const server = createServer((request, response) => {
      reached.push(request.url)
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    const port = await listenHere(server)
    const program = `from countersign import Client, CountersignError
try:
    Client(url="http://127.0.0.1:${port}", api_key="x", timeout=5).decision("r1")
except CountersignError as error:
    print(error.code, error.status)`
    const { stdout } = await runProgram(installed, ['-c', program])
    await closeServer(server)
    expect(stdout.trim()).toBe('unavailable 307')
    expect(reached).toEqual(['/v1/requests/r1'])
  })

  test('a callback counts when the service signed it, and the digest is that of the other client', async () => {
    const apiKey = 'cs_key'
    const body = JSON.stringify({ data: { requestId: 'r', externalId: 'e', state: 'denied' } })
    const webhook = new Webhook(await callbackSecret(apiKey))
    const signed = (at: Date): Record<string, string> => ({
      'Webhook-Id': 'm1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': `v1,AAAA ${webhook.sign('m1', at, body)}`,
    })
    const now = signed(new Date())
    const callbacks = [
      { body, headers: now },
      { body: `${body} `, headers: now },
      { body, headers: { ...now, 'Webhook-Id': 'm2' } },
      { body, headers: { ...now, 'webhook-timestamp': 'x' } },
      { body, headers: { ...now, 'webhook-signature': 'ü' } },
      { body, headers: signed(new Date(Date.now() - 6 * 60_000)) },
      { body, headers: {} },
    ]
    const input = { b: 1.5, a: [1e21, 'ü\u2028', null], c: 1 }
    const call = { tool: 'deploy', input, tool_hash: 'sha256:0' }
    const running = runProgram(installed, ['-c', callback])
    running.child.stdin?.end(JSON.stringify({ apiKey, callbacks, call }))
    expect(JSON.parse((await running).stdout)).toEqual({
      said: ['denied', ...Array.from({ length: 6 }, () => 'bad_signature')],
      digest: await callDigest({ tool: 'deploy', input, toolHash: 'sha256:0' }),
    })
  })
})
