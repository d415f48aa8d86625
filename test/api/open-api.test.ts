import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import parsers from '@stoplight/spectral-parsers'
import rulesets from '@stoplight/spectral-rulesets'
import { expect, test } from 'vitest'
import type { ZodType } from 'zod'
import type { ApiSettings } from '#api/context/api.ts'
import { allRoutes } from '#api/routes/index.ts'
import { tagOf } from '#api/open-api/tags.ts'
import { createTestApi } from './test-api.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'

interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
}
type Content = { readonly 'application/json'?: { readonly schema: Schema } }
interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: string[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
interface OpenApi {
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** With it the document has every operation. */
const developmentToken = 'a token'

const api = disposeAfterTests(await createTestApi({ settings: { developmentToken } }))
const text = (await api.ask('/openapi.json')).text
const document = JSON.parse(text) as OpenApi

test('Redocly finds nothing to say of the OpenAPI document by its recommended rules', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const found = await lintFromString({ source: text, config, absoluteRef: 'openapi.json' })
  expect(
    found.map(({ ruleId, message, location }) => [
      ruleId,
      message,
      location.map(({ pointer }) => pointer),
    ]),
  ).toEqual([])
})

test('Spectral finds nothing to say of the OpenAPI document by its rules for OpenAPI', async () => {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [rulesets.oas as RulesetDefinition] })
  const found = await linter.run(new spectral.Document(text, parsers.Json, 'openapi.json'))
  expect(found.map(({ code, message, path }) => [code, message, path.join('/')])).toEqual([])
})

test('every operation has a name of its own that begins with a verb, a short summary and a part it stands in', () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )
  const names = operations.map(({ operationId }) => operationId)
  expect(new Set(names).size).toBe(names.length)
  const known = document.tags.map(({ name }) => name)
  for (const { operationId, method, summary, tags } of operations) {
    expect(operationId).toMatch(/^[a-z]+[A-Z]\w+$|^signOut$/)
    // Not made of method and path: those would change with the path.
    expect(operationId).not.toMatch(new RegExp(`^${method}V1|^(post|put|delete)(Requests|Runs)`))
    expect(summary).toMatch(/^[A-Z][a-z]+( [\w'’-]+){1,6}$/)
    expect(tags.every((tag) => known.includes(tag))).toBe(true)
    expect(tags).toHaveLength(1)
  }
})

interface Field {
  /** of a parameter */
  readonly schema?: Field
  readonly description?: string
  readonly $ref?: string
  readonly type?: string
  readonly anyOf?: readonly Field[]
  readonly oneOf?: readonly Field[]
}

/** The descriptions of a field: its own, or one for each of its alternatives except null. */
function descriptionsOf(field: Field): (string | undefined)[] {
  if (field.description !== undefined) return [field.description]
  if (field.$ref !== undefined) {
    return [document.components.schemas[field.$ref.split('/').at(-1) ?? '']?.description]
  }
  if (field.schema !== undefined) return descriptionsOf(field.schema)
  const alternatives = (field.anyOf ?? field.oneOf ?? []).filter(({ type }) => type !== 'null')
  return alternatives.length === 0 ? [undefined] : alternatives.flatMap(descriptionsOf)
}

/** Every property of an object and every parameter in the document, as `[place, name, field]`. */
function fieldsIn(value: unknown, place = ''): [string, string, Field][] {
  if (typeof value !== 'object' || value === null) return []
  const { properties, parameters } = value as {
    readonly properties?: Readonly<Record<string, Field>>
    readonly parameters?: readonly (Field & { readonly name: string })[]
  }
  const isSchema = 'type' in value && value.type === 'object'
  return [
    ...(isSchema ? Object.entries(properties ?? {}) : []).map(
      ([name, field]): [string, string, Field] => [place, name, field],
    ),
    ...(parameters ?? []).map((field): [string, string, Field] => [place, field.name, field]),
    ...Object.entries(value).flatMap(([key, below]) =>
      ['examples', 'example'].includes(key) ? [] : fieldsIn(below, `${place}/${key}`),
    ),
  ]
}

const fillers = new Set(['a', 'an', 'is', 'its', 'of', 'the', 'this'])

/** Whether a description says no more than the name of its field. */
function repeats(name: string, description: string): boolean {
  const words = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const ownWords = new Set(words(name.replaceAll(/[A-Z]/g, ' $&')))
  return words(description).every((word) => fillers.has(word) || ownWords.has(word))
}

test('every field and every parameter is described, and no description only repeats the name', () => {
  const fields = fieldsIn(document)
  expect(fields.length).toBeGreaterThan(1_500)
  const poor = fields.filter(([, name, field]) =>
    descriptionsOf(field).some((text) => text === undefined || repeats(name, text)),
  )
  expect(poor.map(([place, name]) => `${place}: ${name}`)).toEqual([])
  expect(repeats('callId', 'The id of the call')).toBe(true)
  expect(descriptionsOf({ anyOf: [{ type: 'string' }, { type: 'null' }] })).toEqual([undefined])
})

/** Bodies, and the answers of what most callers deal with: each has an example. */
function exemplified(): { what: string; schema: ZodType; content: Content | undefined }[] {
  const written = new Map(
    Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .map((operation) => [operation.operationId, operation]),
  )
  return allRoutes({ developmentToken } as ApiSettings).flatMap((route) => {
    const operation = written.get(route.name)
    const body = { what: `body of ${route.name}`, schema: route.body }
    const answers = Object.entries(route.answers)
      .filter(([status]) => status.startsWith('2') && isMain(route))
      .map(([status, { schema }]) => ({
        what: `${status} of ${route.name}`,
        schema,
        content: operation?.responses[status]?.content,
      }))
    return [{ ...body, content: operation?.requestBody?.content }, ...answers].flatMap((one) =>
      one.schema === undefined ? [] : [{ ...one, schema: one.schema }],
    )
  })
}

function isMain(route: Parameters<typeof tagOf>[0]): boolean {
  if (['listAuditEvents', 'revokeGrant'].includes(route.name)) return true
  return route.path.startsWith('/v1/key') || ['Requests', 'Programs', 'Runs'].includes(tagOf(route))
}

test('every body and every answer about requests, runs, decisions, events and keys has an example that its schema takes', () => {
  for (const { what, schema, content } of exemplified()) {
    const { $ref, examples } = content?.['application/json']?.schema ?? {}
    const named = document.components.schemas[$ref?.split('/').at(-1) ?? '']
    const found = examples ?? named?.examples ?? []
    expect(found, what).not.toEqual([])
    for (const example of found) {
      // What is in no schema is left out of what is parsed.
      expect(schema.parse(example), what).toEqual(example)
    }
  }
})
