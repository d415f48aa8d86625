import { Ajv } from 'ajv'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { noteSigner } from '#test/harness/evidence/fixed-log.ts'
import { formatVerifierKey } from '#evidence/note/note-key.ts'
import { parseProject } from '../project/parse-project.ts'
import { jsonSchemaOf, schemaNames, type SchemaName } from './json-schemas.ts'

const ajv = new Ajv({ strict: false })
const validate = Object.fromEntries(
  schemaNames.map((name) => [name, ajv.compile(jsonSchemaOf(name))]),
)

const vkey = formatVerifierKey(noteSigner('witness.example', 'cosignature').key)

/** Every key that the files know, in a folder that is right. */
const whole: Readonly<Record<SchemaName, unknown>> = {
  countersign: parse(`
version: 1
people: [{ email: ada@example.com, name: Ada }]
teams: { platform: { members: [ada@example.com, grace@example.com] }, other: {} }
queues:
  platform:
    { team: platform, selfApproval: false, edits: off, signature: required, permitFor: 30d,
      expiresAfter: 90s, remindAfter: [1s, 4s], escalate: [{ after: 10s, addTeams: other }] }
defaults: { queue: platform }
routing:
  - { when: { tool: shell, path: "a/**", worker: scribe, queue: platform, command: git push, risk: [low] },
      queue: platform, risk: high, quorum: { allOf: [{ team: platform, count: 2 }] }, scopes: [once, run] }
  - { when: {}, quorum: { count: 2 }, scopes: command }
overlays:
  - { when: { tool: shell }, approval: ask, reason: always }
  - { when: { tool: exec }, approval: { approval: blocked, reason: why } }
workspaces: { default: { root: ., taskQueue: other } }
rights: { startApproveAll: platform, manageRuns: [ada@example.com], readAudit: other, activatePolicy: [platform] }
signIn:
  oidc:
    { issuer: "https://id.example.com", clientId: countersign, clientSecretFrom: OIDC_SECRET, scopes: [openid, email],
      label: Example, emailClaim: email, requireVerifiedEmail: true, groupsClaim: groups, tokenAudiences: ["api://x"],
      teams: { admins: platform, "a group": [platform, other] } }
retention: { transcripts: 90d, records: 30d }
webhooks:
  allow: [10.0.0.0/8]
  endpoints:
    chat: { url: "https://hooks.example.com/x", secretFrom: CHAT_SECRET, events: [request.opened], queues: platform }
audit: { witnesses: [{ name: office, url: "https://witness.example", vkey: "${vkey}" }] }
email:
  smtp: { host: smtp.example.com, port: 587, security: starttls, userFrom: SMTP_USER, passwordFrom: SMTP_PASSWORD }
  from: Countersign <countersign@example.com>
  default: atOnce
  digestAt: "08:00"
  timeZone: Europe/Berlin
slack: { team: T0123ABCD, tokenFrom: SLACK_TOKEN, signingSecretFrom: SLACK_SECRET, channels: { platform: "#approvals" } }
`),
  worker: parse(`
name: scribe
description: Writes
model: script:./script.yaml
queue: platform
limits: { turns: 4, calls: 5, tokens: 6 }
startableBy: [platform]
zones:
  - { name: all, root: ., mode: rw, suffixes: [.md], protected: ".github/**", reason: outer,
      approval: { read: preApproved, write: { blocked: no }, delete: blocked, share: ask, reason: because } }
sandbox: { required: true, network: none }
shell:
  default: ask
  rules:
    - { pattern: git log, approval: preApproved, zones: all, unlessArgs: [-o], description: Look, reason: x }
tools: { notify: { manual: true, approval: ask, reason: x }, word: preApproved, never: { blocked: x } }
workers: [scribe]
mcpServers:
  files: { type: stdio, command: npx, args: [x@1.0.0], env: { A: b }, tools: { read_file: preApproved } }
  wiki: { type: http, url: "https://wiki.example.com/mcp", headers: { a: b } }
`),
  script: parse(`
turns:
  - { text: "", calls: [{ tool: notify, input: { a: [1, null] }, id: one }] }
  - { text: Done. }
`),
}

const fileOf = {
  countersign: 'countersign.yaml',
  worker: 'workers/scribe.md',
  script: 'script.yaml',
}

/** What `check` calls wrong in this one file. */
function problemsOf(name: SchemaName, value: unknown): readonly string[] {
  const file = (one: SchemaName): string => {
    const yaml = stringify(one === name ? value : whole[one], { aliasDuplicateObjects: false })
    return one === 'worker' ? `---\n${yaml}---\nWrite.\n` : yaml
  }
  const texts = new Map(schemaNames.map((one) => [fileOf[one], file(one)]))
  const parsed = parseProject({ texts, toolFiles: [] })
  const found = 'problems' in parsed ? parsed.problems : []
  return found
    .filter((one) => one.severity === 'error' && one.file === fileOf[name])
    .map((one) => `${one.problem}; ${one.remedy}`)
}

/** Rules that relate two places, or limit a value by its meaning: only `check` has them. */
const relations =
  /names the |but the file is called|must have exactly one of these keys|is not complete|is a second |has neither|has no "url"|does not go with|who is in no team|who is still a person|names \S+,? twice|not inside the workspace|no tool takes such a path|workspace root|write a pattern|over 1,000|not a duration; write 90s, .* at most 3650|write an http|the service's own|does not exist|write `provider:model`|not an https|not an issuer|the scope openid|not an address or a range|a user name, a password|not a sender|not a time zone|is not the key of a witness|once an hour|unencrypted/

type Path = readonly (string | number)[]

/** Every place of a value. */
function placesOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  const inner = Object.entries(value).flatMap(([key, one]) =>
    placesOf(one, [...at, Array.isArray(value) ? Number(key) : key]),
  )
  return [at, ...inner]
}

/** The value with the one at a place replaced. */
function withAt(value: unknown, [key, ...rest]: Path, other: unknown): unknown {
  if (key === undefined) return other
  if (Array.isArray(value)) {
    return value.map((one: unknown, index) => (index === key ? withAt(one, rest, other) : one))
  }
  const fields = value as Readonly<Record<string, unknown>>
  return { ...fields, [key]: withAt(fields[key], rest, other) }
}

const junk = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 1, 2, -1, 1.5, 1e12, '', ' ', 'x', 'ask', 'ro'),
  fc.constantFrom<unknown>('no', 'platform', 'scribe', '7d', '0s', 'a b', '.md', '__proto__', '<<'),
  fc.constantFrom<unknown>([], {}, [[]], [null], ['x'], [1], { x: 1 }, { blocked: 'x' }, ['ask']),
  fc.constantFrom<unknown>({ blocked: '' }, { approval: 'ask' }, { approval: 'ask', reason: null }),
)

test.each(schemaNames)(
  'the schema of %s accepts exactly what check accepts, except for relations between settings',
  (name) => {
    expect(problemsOf(name, whole[name])).toEqual([])
    const places = placesOf(whole[name])
    let refused = 0
    fc.assert(
      fc.property(fc.constantFrom(...places), junk, (place, value) => {
        const changed = withAt(whole[name], place, value)
        const problems = problemsOf(name, changed)
        const accepted = validate[name]?.(changed) === true
        if (problems.length > 0) refused += 1
        const structural = problems.filter((one) => !relations.test(one))
        if (accepted) expect(structural).toEqual([])
        else expect(problems).not.toEqual([])
      }),
      { numRuns: 250 },
    )
    expect(refused).toBeGreaterThan(50)
  },
)

test.each(schemaNames)('neither accepts an unknown key of %s, at any depth', (name) => {
  let tried = 0
  for (const place of placesOf(whole[name])) {
    const value = place.reduce<unknown>(
      (one, key) => (one as Readonly<Record<string | number, unknown>>)[key],
      whole[name],
    )
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue
    const changed = withAt(whole[name], place, { ...value, 'un known': null })
    const accepted = validate[name]?.(changed) === true
    expect([place, accepted], problemsOf(name, changed).join('\n')).toEqual([
      place,
      problemsOf(name, changed).length === 0,
    ])
    tried += 1
  }
  expect(tried).toBeGreaterThan(2)
})
