import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun } from '../../harness/fixtures/gated-run.ts'
import { answerPreApproved } from '../../api/judging.ts'
import { createProgram } from '../../api/program.ts'
import { createTestApi } from '../../api/test-api.ts'

const api = disposeAfterTests(await createTestApi())
const ada = await api.signIn(api.people.ada)
const olga = await api.signIn(api.people.olga)
const program = await createProgram(api, ada)
const run = await addRun(api.service, { startedBy: api.people.ada })
const request = await addRequest(api.service, run)
answerPreApproved(api.service)
const document = (await api.ask('/openapi.json')).body

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly format?: string
}

/** A body with every field that a schema knows, so that each place can be replaced. */
function sampleOf(schema: Schema, depth = 0): unknown {
  if (schema.$ref !== undefined) {
    const keys = schema.$ref.slice('#/'.length).split('/')
    const found: Schema = keys.reduce((at, key) => at[key], document)
    return sampleOf(found, depth)
  }
  if (schema.const !== undefined) return schema.const
  const [choice] = schema.enum ?? []
  if (choice !== undefined) return choice
  const [first] = schema.anyOf ?? schema.oneOf ?? []
  if (first !== undefined) return sampleOf(first, depth)
  if (schema.allOf !== undefined) {
    return Object.assign({}, ...schema.allOf.map((one) => sampleOf(one, depth)))
  }
  if (schema.type === 'array') {
    return schema.items === undefined || depth > 6 ? [] : [sampleOf(schema.items, depth + 1)]
  }
  if (schema.type === 'object') {
    const fields = Object.entries(schema.properties ?? {})
    return Object.fromEntries(fields.map(([name, one]) => [name, sampleOf(one, depth + 1)]))
  }
  if (schema.type === 'boolean') return true
  if (schema.type === 'integer' || schema.type === 'number') return 1
  if (schema.format === 'uuid') return request.id
  return schema.format === 'date-time' ? new Date(Date.now() + 3_600_000).toISOString() : 'text'
}

type Path = readonly string[]

function placesOf(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [at, ...Object.entries(value).flatMap(([key, one]) => placesOf(one, [...at, key]))]
}

/** A body with `raw` at a place, which JSON.stringify might not write. */
function bodyWith(value: unknown, place: Path, raw: string): string {
  const [key, ...rest] = place
  if (key === undefined) return raw
  if (Array.isArray(value)) {
    const items = value.map((one, at) =>
      bodyWith(one, String(at) === key ? rest : [], JSON.stringify(one)),
    )
    const at = Number(key)
    return `[${items.with(at, bodyWith(value[at], rest, raw)).join(',')}]`
  }
  const members = Object.entries(Object(value)).map(
    ([name, one]) =>
      `${JSON.stringify(name)}:${name === key ? bodyWith(one, rest, raw) : JSON.stringify(one)}`,
  )
  return `{${members.join(',')}}`
}

const hostile: readonly string[] = [
  '"a\\u0000b"',
  '"\\ud800"',
  '"__proto__"',
  '"e\\u0301\\u202e"',
  '""',
  '"-infinity"',
  '"0001-01-01T00:00:00Z"',
  '"9999-12-31T23:59:59-12:00"',
  '"00000000-0000-0000-0000-000000000000"',
  '1e400',
  '-1',
  '2147483648',
  '1e-7',
  'null',
  '[null]',
  '{"constructor":{"prototype":1},"toString":1}',
  '{"__proto__":{"a":1}}',
  '{"a":1,"a":2}',
]

interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

const bodies = Object.entries<Record<string, Operation>>(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, requestBody }]) => {
      const schema = requestBody?.content['application/json']?.schema
      return schema === undefined ? [] : [{ path, method, operationId, sample: sampleOf(schema) }]
    }),
)

/** The address of something that is there, where the path names one. */
function addressOf(path: string): string {
  const id = path.startsWith('/v1/runs') ? run.id : request.id
  return path
    .replace('{email}', 'linus@example.com')
    .replace('{name}', 'platform')
    .replace(/\{\w+\}/g, id)
}

// Rules: security.md 22, 24, 34
test('no value in any field of any body makes the service fail, whoever sends it', async () => {
  const senders = [ada.headers, olga.headers, { authorization: `Bearer ${program.key}` }]
  const failed: string[] = []
  let refused = 0
  for (const { path, method, operationId, sample } of bodies) {
    // It would sign the senders out.
    if (operationId === 'signOut') continue
    for (const place of placesOf(sample)) {
      for (const [at, raw] of hostile.entries()) {
        const headers = { ...senders[at % senders.length], 'content-type': 'application/json' }
        const rawBody = bodyWith(sample, place, raw)
        const reply = await api.ask(addressOf(path), {
          method: method.toUpperCase(),
          headers,
          rawBody,
        })
        if (reply.status >= 500)
          failed.push(`${operationId} ${place.join('.')} ${raw} ${reply.text}`)
        if (reply.status === 422) refused += 1
      }
    }
  }
  expect(failed).toEqual([])
  expect(bodies.length).toBeGreaterThan(40)
  expect(refused).toBeGreaterThan(1000)
}, 240_000)

// Rules: product.md 11; security.md 34
test.each([
  ['two spellings of one letter', '{"\\u00e9":1,"e\\u0301":2}'],
  ['names of every object', '{"constructor":1,"toString":{"valueOf":2},"hasOwnProperty":3}'],
  ['characters that nobody sees', '{"a\\u200b":"\\u202e\\u2066\\ufeff"}'],
  ['a character beyond the basic plane', '{"a":"\\ud83d\\ude00"}'],
  ['numbers at the ends', '{"a":9007199254740991,"b":-9007199254740991,"c":1e-7,"d":5e-324}'],
  ['ninety levels', `{"a":${'['.repeat(90)}${']'.repeat(90)}}`],
  ['a text of a million characters', `{"a":"${'x'.repeat(1_000_000)}"}`],
])(
  'what a program states with %s is stored, shown and digested as it was sent',
  async (what, text) => {
    const headers = { authorization: `Bearer ${program.key}`, 'content-type': 'application/json' }
    const send = (input: string) => {
      const rawBody = `{"tool":"deploy","externalId":${JSON.stringify(what)},"input":${input}}`
      return api.ask('/v1/requests', { method: 'POST', headers, rawBody })
    }
    const made = await send(text)
    expect(made.status).toBe(201)
    const detail = (await program.get(`/v1/requests/${made.body.id}`)).body
    expect(detail.input).toEqual(JSON.parse(text))
    expect(detail.digest).toBe(made.body.digest)
    // The same call again is the same request; another one under its name is refused.
    expect((await send(text)).body.id).toBe(made.body.id)
    expect((await send(text.replace('{', '{"more":1,'))).body.code).toBe('idempotency_key_reused')
  },
)
