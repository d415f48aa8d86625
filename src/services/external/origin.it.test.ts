import { readFile, symlink, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { newDataFolder, newMemory } from '#test/harness/fixtures/data-folder.ts'
import { testSigner } from '#test/harness/fixtures/keys/test-keys.ts'
import { addKey } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { hostProof, hostProofId } from '#domain/requests/host-proof.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { signStatement } from '#domain/statements/statement-bytes.ts'
import { renewHostProof } from '#runtime/data-folder/run-secrets.ts'
import { hostProofFile } from '#runtime/folders.ts'
import { getRequest } from '../requests/detail/get-request.ts'
import { requestContent } from '../requests/detail/request-content.ts'
import { judgeCall } from '../engine/judging/judge-call.ts'
import { consumePermit } from './consume-permit.ts'
import type { ExternalInput } from '../requests/facts/external-input.ts'
import { openExternal } from './open-external.ts'
import type { Origin } from '#api/schemas/requests/external.ts'

const marker = 'only-on-the-disk-of-the-service'
const theirs = '# Plan\nonly on the disk of the program\n'
let callCount = 0

const desk = disposeAfterTests(await openAgentDesk())
const program = (await addKey(desk.database.db, desk.people.ada)).caller
await desk.write('notes/plan.md', `# Plan\n${marker}\n`)
await renewHostProof(desk.dataDir)

const reader = `---
name: reader
description: Reads notes
model: openai-compatible:scripted-by-the-test
zones:
  - { name: notes, root: ./notes, mode: ro, approval: { read: preApproved } }
  - { name: private, root: ./private, mode: ro, suffixes: [.md], approval: { read: blocked } }
---
You read notes.
`
const write = { path: 'notes/plan.md', content: '# Plan\nnew\n' }
const origin = (more: Partial<Origin> = {}): Origin => ({
  program: 'Claude Code',
  version: '2.1.0',
  host: 'laptop',
  folder: desk.root,
  ...more,
})
const reported = [{ path: 'notes/plan.md', hash: hashBytes(theirs), content: theirs }]
const keyNow = (): Promise<Buffer> => readFile(hostProofFile(desk.dataDir))
const proofOf = async (folder: string): Promise<string> => hostProof(await keyNow(), folder)

async function open({ alone, ...more }: Partial<ExternalInput> & { alone?: boolean } = {}) {
  const { requestId } = await openExternal(desk.api, program, {
    tool: 'write_file',
    input: write,
    externalId: `call-${(callCount += 1)}`,
    ...(alone === true ? {} : { worker: 'scribe' }),
    ...more,
  })
  return read(requestId)
}

const read = (request: string) => getRequest(desk.api, desk.people.grace.caller, { request })
const decide = (request: Awaited<ReturnType<typeof open>>) =>
  desk.decide(desk.people.grace, request.id, { seen: request.presentation.digest, reason: 'ok' })

// Rules: product.md 46
describe('a program that proves to work in the workspace', () => {
  test('is shown with the workspace’s own file, and a note that it proved this', async () => {
    const proof = await proofOf(desk.root)
    const request = await open({ origin: origin({ proof }) })
    expect(request.title).toBe('Edit notes/plan.md (+1 −1)')
    expect(request.presentation).toMatchObject({
      type: 'diff',
      metadata: { path: 'notes/plan.md' },
    })
    expect(request.presentation.content).toContain(`-${marker}`)
    expect(request.external?.origin).toEqual({ ...origin(), proved: true })
    expect(JSON.stringify(request)).not.toContain(proof)
    await decide(request)
  })

  test('may work in a folder of it, and the request says where it reports another content than the real one', async () => {
    const folder = join(desk.root, 'notes')
    const proof = await proofOf(folder)
    const request = await open({ origin: origin({ folder, proof, files: reported }) })
    expect(request.external?.origin?.proved).toBe(true)
    expect(request.presentation.content).toContain(marker)
    expect(request.presentation.warnings).toContain(
      'The reported content of "notes/plan.md" differs from the file in the workspace.',
    )
  })

  test('is refused a call that could not run on the workspace’s own file', async () => {
    const input = { path: 'notes/plan.md', edits: [{ find: 'nowhere', replace: 'x' }] }
    const proof = await proofOf(desk.root)
    const attempt = open({ tool: 'edit_file', input, origin: origin({ proof }) })
    expect(await refusal(attempt)).toMatchObject({ code: 'invalid_request' })
  })

  // Rules: product.md 1; security.md 32
  test('is refused every reading of a zone whose reads are blocked, also one that the worker’s tools cannot make', async () => {
    await desk.write('private/a.md', 'theirs')
    await symlink('a.md', join(desk.root, 'private/link.md'))
    await desk.activate({ 'workers/reader.md': reader })
    const proof = await proofOf(desk.root)
    const reading = (tool: string, input: JsonObject) =>
      open({ worker: 'reader', tool, input, origin: origin({ proof }) })
    for (const [tool, input] of [
      ['Grep', { pattern: 'x', path: 'private/a.md' }],
      ['Grep', { pattern: 'x' }],
      ['copilot-cli:view', { path: 'private' }],
      ['gemini-cli:read_file', { file_path: 'private/a.txt' }],
      ['gemini-cli:read_file', { file_path: 'private/link.md' }],
    ] as const) {
      expect(await refusal(reading(tool, input))).toMatchObject({ code: 'policy_blocked' })
    }
    const asked = await reading('Grep', { pattern: 'x', path: 'notes/plan.md' })
    expect(asked.state).toBe('pending')
  })

  test('without a worker has the proof recorded, and no file is read', async () => {
    const proof = await proofOf(desk.root)
    const request = await open({ alone: true, origin: origin({ proof }) })
    expect(request.external?.origin?.proved).toBe(true)
    expect(JSON.stringify(request)).not.toContain(marker)
  })
})

// Rules: product.md 46; security.md 32
describe('no file of the service is read or shown for', () => {
  test.each<[string, () => Promise<Partial<Origin>>]>([
    ['another host whose folder has the path of the workspace', async () => ({})],
    [
      'the proof of an earlier start',
      async () => {
        const proof = await proofOf(desk.root)
        await renewHostProof(desk.dataDir)
        return { proof }
      },
    ],
    ['a proof over another folder', async () => ({ proof: await proofOf('/srv/other') })],
    [
      'a right proof of a folder that is not the workspace',
      async () => ({ folder: '/tmp', proof: await proofOf('/tmp') }),
    ],
    [
      'a right proof of the folder above',
      async () => {
        const folder = join(desk.root, '..')
        return { folder, proof: await proofOf(folder) }
      },
    ],
    [
      'a link to the workspace',
      async () => {
        const folder = join(newDataFolder(), 'link')
        await mkdir(join(folder, '..'), { recursive: true })
        await symlink(desk.root, folder)
        return { folder, proof: await proofOf(folder) }
      },
    ],
    [
      'a path to it with ..',
      async () => {
        const folder = `${desk.root}/notes/..`
        return { folder, proof: await proofOf(folder) }
      },
    ],
    [
      'a path to it with a slash at its end',
      async () => ({ folder: `${desk.root}/`, proof: await proofOf(`${desk.root}/`) }),
    ],
    ['a relative path', async () => ({ folder: '.', proof: await proofOf('.') })],
    [
      'a folder that begins like the workspace',
      async () => {
        const folder = `${desk.root}-other`
        await mkdir(folder, { recursive: true })
        return { folder, proof: await proofOf(folder) }
      },
    ],
    ['a guess', async () => ({ proof: '0'.repeat(64) })],
  ])('%s', async (_, more) => {
    const request = await open({ origin: origin(await more()) })
    expect(request.external?.origin?.proved).toBe(false)
    expect(request.presentation.type).toBe('structured')
    expect(request.presentation.warnings.join()).toContain('As reported by “laptop”')
    expect(JSON.stringify(request)).not.toContain(marker)
    expect(request.facts.bases).toEqual([])
    // The answer does not tell whether a file exists either.
    const edits = [{ find: 'nowhere', replace: 'x' }]
    for (const path of ['notes/plan.md', 'notes/absent.md']) {
      const input: JsonObject = { path, edits }
      const { state } = await open({ tool: 'edit_file', input, origin: origin(await more()) })
      expect(state).toBe('pending')
    }
  })

  test('a workspace whose Temporal workers are on another host', async () => {
    const proof = await proofOf(desk.root)
    const elsewhere = { ...desk.worker, ...newMemory() }
    const judgeRemotely: typeof desk.api.judgeRemotely = (question) => {
      expect(question.proven?.folder).toBe(desk.root)
      return judgeCall(elsewhere, question, 'test')
    }
    const { requestId } = await openExternal({ ...desk.api, judgeRemotely }, program, {
      tool: 'write_file',
      input: write,
      worker: 'scribe',
      externalId: 'elsewhere',
      origin: origin({ proof }),
    })
    const request = await read(requestId)
    expect(request.external?.origin?.proved).toBe(false)
    expect(JSON.stringify(request)).not.toContain(marker)
  })

  test('whoever proved nothing, though an answer from Temporal holds one', async () => {
    const judgeRemotely: typeof desk.api.judgeRemotely = async (question) => {
      const keyId = hostProofId(await keyNow())
      return judgeCall(desk.worker, { ...question, proven: { folder: desk.root, keyId } }, 'test')
    }
    const { requestId } = await openExternal({ ...desk.api, judgeRemotely }, program, {
      tool: 'write_file',
      input: write,
      worker: 'scribe',
      externalId: 'forged-answer',
      origin: origin(),
    })
    const request = await read(requestId)
    expect(request.external?.origin?.proved).toBe(false)
    expect(JSON.stringify(request)).not.toContain(marker)
  })
})

// Rules: product.md 46
describe('a program that proves nothing', () => {
  test('is shown with the difference to the file that it reports, marked as reported', async () => {
    const request = await open({ origin: origin({ files: reported }) })
    expect(request.title).toBe('Edit notes/plan.md (+1 −1), as reported')
    expect(request.presentation).toMatchObject({
      type: 'diff',
      metadata: { baseHash: hashBytes(theirs), reportedBy: 'laptop' },
    })
    expect(request.presentation.content).toContain('-only on the disk of the program\n+new\n')
    expect(request.presentation.warnings[0]).toBe(
      'As reported by “laptop”: the file before and the change to it. No file of this service was read to compare.',
    )
    // None of it is a fact of the service.
    expect(request.facts.bases).toEqual([])
    const asking = { request: request.id }
    const { bytes } = await requestContent(desk.api, desk.people.grace.caller, asking)
    expect(JSON.parse(bytes.toString())).toMatchObject(write)
    await decide(request)
  })

  test('may report the file of an edit, too; an edit that could not run on it asks nobody', async () => {
    const edit = (find: string): JsonObject => ({
      path: 'notes/plan.md',
      edits: [{ find, replace: 'ours' }],
    })
    const common = { tool: 'edit_file', origin: origin({ files: reported }) }
    const request = await open({ ...common, input: edit('only on the disk of the program') })
    expect(request.presentation.content).toContain('-only on the disk of the program\n+ours\n')
    const refused = await refusal(open({ ...common, input: edit(marker) }))
    expect(refused).toMatchObject({ code: 'invalid_request', facts: { field: 'input' } })
    expect(refused.message).toContain('origin.files')
  })

  test('creates a file where it reports that there is none', async () => {
    const files = [{ path: 'notes/plan.md', hash: 'absent' as const }]
    const request = await open({ origin: origin({ files }) })
    expect(request.title).toBe('Create notes/plan.md (+2), as reported')
    expect(JSON.stringify(request)).not.toContain(marker)
  })

  test('shows its arguments where it reports another file, or only a hash', async () => {
    for (const files of [
      [{ path: 'notes/other.md', hash: hashBytes(theirs), content: theirs }],
      [{ path: 'notes/plan.md', hash: hashBytes(theirs) }],
    ]) {
      const request = await open({ origin: origin({ files }) })
      expect(request.presentation.type).toBe('structured')
      expect(request.external?.origin?.files).toEqual(files)
    }
  })

  test('gets no difference for a tool that only has the name of a built-in one', async () => {
    const request = await open({ alone: true, origin: origin({ files: reported }) })
    expect(request.presentation.type).toBe('structured')
    expect(request.title).not.toMatch(/^Edit/)
  })

  test('never has its own presentation shown as a fact, whatever that says', async () => {
    const presentation = { type: 'diff' as const, content: '--- a/harmless\n' }
    const title = 'Edit notes/plan.md (+0 −0)'
    const request = await open({ origin: origin({ files: reported }), presentation, title })
    expect(request.title).toBe('Edit notes/plan.md (+1 −1), as reported')
    expect(request.presentation.content).not.toContain('harmless')
    expect(request.external?.claim).toEqual({ title, presentation })
  })

  test('may make any claim about itself: it stays text, and one line of the title', async () => {
    const host = '‮evil\u001b[2J<img src=x onerror=alert(1)>\n(proved)'
    const files = [{ path: '../‮a\u0007.md', hash: hashBytes('<script>'), content: '<script>' }]
    const request = await open({ origin: origin({ host, program: '<b>', files }) })
    expect(request.external?.origin).toMatchObject({ host, program: '<b>', files, proved: false })
    expect(request.presentation.metadata['reportedBy']).toBe(host)
    expect(request.title).not.toContain('\u001b')
  })
})

describe('the same externalId', () => {
  test('with another origin is another call; with another proof it is the same', async () => {
    const externalId = 'origin-again'
    const first = await open({ externalId, origin: origin() })
    const proof = await proofOf(desk.root)
    expect((await open({ externalId, origin: origin({ proof }) })).id).toBe(first.id)
    for (const other of [origin({ host: 'other' }), origin({ files: reported }), undefined]) {
      const attempt = open({ externalId, ...(other === undefined ? {} : { origin: other }) })
      expect(await refusal(attempt)).toMatchObject({
        code: 'idempotency_key_reused',
        facts: { request: first.id },
      })
    }
    // A later proof does not count for a request that was opened before it.
    expect((await open({ externalId, origin: origin({ proof }) })).external?.origin?.proved).toBe(
      false,
    )
  })
})

test('the trail has the hash of the origin and whether it was proved, and none of its contents', async () => {
  const proof = await proofOf(desk.root)
  const request = await open({ origin: origin({ proof, files: reported }) })
  const { document } = await rowOf(desk.database.db, 'audit_event', {
    request_id: request.id,
    type: 'request.opened',
  })
  const { detail } = JSON.parse(document) as { detail: JsonObject }
  expect(detail).toMatchObject({
    originHash: request.presentation.metadata['originHash'],
    originProved: true,
  })
  for (const text of ['laptop', desk.root, theirs, proof]) expect(document).not.toContain(text)
})

// Rules: security.md 29
describe('an origin or a worker that somebody wrote into the database', () => {
  const forge = async (id: string, set: ReturnType<typeof sql>): Promise<void> => {
    await sql`update external_request set ${set} where request_id = ${id}`.execute(desk.database.db)
  }

  test.each([
    ['another origin', sql`origin_hash = (select hash from content limit 1)`],
    ['no origin', sql`origin_hash = null, origin_proved = null`],
    ['a proof', sql`origin_proved = true`],
    ['another worker', sql`worker = 'nobody'`],
    ['no worker', sql`worker = null`],
  ])('decides nothing and gives no permit: %s', async (_, set) => {
    const pending = await open({ origin: origin({ files: reported }) })
    await forge(pending.id, set)
    expect(await refusal(decide(pending))).toMatchObject({
      code: 'tampered',
      facts: { which: 'external_request' },
    })
    const approved = await open({ origin: origin({ files: reported }) })
    await decide(approved)
    await forge(approved.id, set)
    const { digest, id } = approved
    const taking = consumePermit(desk.api, program, { request: id, digest })
    expect((await refusal(taking)).code).toBe('tampered')
  })

  test('is never shown as proved', async () => {
    const request = await open({ origin: origin() })
    await forge(request.id, sql`origin_proved = true`)
    expect((await read(request.id)).external?.origin?.proved).toBe(false)
  })

  test('and rows of a version without origins stay valid', async () => {
    const request = await open()
    const row = await rowOf(desk.database.db, 'external_request', { request_id: request.id })
    // As that version sealed it: every column that it had, and no other.
    const { request_id, owner_id, external_id, api_key_id, on_behalf_of, verdict, body_hash } = row
    const before = {
      request_id,
      owner_id,
      external_id,
      api_key_id,
      on_behalf_of,
      verdict,
      body_hash,
    }
    const statement = { table: 'external_request', row: before }
    const { keyId, signature } = signStatement(testSigner, 'row', statement)
    await forge(request.id, sql`seal = ${`${keyId}.${signature}`}`)
    await decide(request)
    expect((await read(request.id)).state).toBe('approved')
  })
})
