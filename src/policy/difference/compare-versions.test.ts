import { expect, test } from 'vitest'
import { noteSigner } from '#test/harness/evidence/fixed-log.ts'
import { fixtureFiles, policyOf } from '#test/harness/fixtures/project.ts'
import { formatVerifierKey } from '#evidence/note/note-key.ts'
import type { Policy, ProjectFiles } from '../policy.ts'
import { compareVersions, maskChange } from './compare-versions.ts'

/** The fixture folder with some texts replaced; `null` removes a file. */
function folder(changes: Record<string, [from: string, to: string] | string | null>): Policy {
  const texts = new Map(fixtureFiles.texts)
  for (const [path, change] of Object.entries(changes)) {
    if (change === null) texts.delete(path)
    else if (typeof change === 'string') texts.set(path, change)
    else texts.set(path, (texts.get(path) ?? '').replace(...change))
  }
  return policyOf({ texts, toolFiles: [] } satisfies ProjectFiles)
}

const vkey = formatVerifierKey(noteSigner('witness.example', 'cosignature').key)
const witness = `{ name: office, url: "https://witness.example", vkey: "${vkey}" }`
const config = 'countersign.yaml'
const base = folder({})

function second(before: Policy, after: Policy): string[] {
  return compareVersions(before, after).secondPerson.map((one) => one.at)
}

test('comments and another order of keys make another version, and change no setting', () => {
  const after = folder({ [config]: ['version: 1', '# reviewed\nversion: 1'] })
  expect(compareVersions(base, after)).toEqual({
    files: [{ path: config, change: 'changed' }],
    settings: [],
    secondPerson: [],
  })
})

test('each setting that differs is named with both values', () => {
  const after = folder({
    [config]: ['expiresAfter: 72h', 'expiresAfter: 36h'],
    'workers/scribe.md': ['write: ask', 'write: { blocked: "not here" }'],
  })
  expect(compareVersions(base, after).settings).toEqual([
    { at: 'queues.platform.expiresAfter', before: '3d', after: '36h' },
    { at: 'workers.scribe.zones.notes.approval.write', before: 'ask', after: 'blocked: not here' },
  ])
})

test('each added and removed member of a list is named', () => {
  const after = folder({ [config]: ['[grace@example.com, linus@', '[ada@example.com, linus@'] })
  expect(compareVersions(base, after).settings).toContainEqual({
    at: 'teams.platform.members',
    before: 'grace@example.com',
    after: null,
  })
})

const routed = (entries: string): Policy =>
  folder({ [config]: ['rights:', `routing:\n${entries}rights:`] })
const first = '  - { when: { risk: high }, queue: security }\n'
const other = '  - { when: { tool: write_file }, queue: platform }\n'

test.each([
  ['a team gains a member', ['[edsger@example.com]', '[edsger@example.com, ada@example.com]']],
  ['two addresses of one human', ['people:', 'people:\n  - { email: a@x.org, formerly: b@x.org }']],
  ['self-approval', ['permitFor: 30d', 'selfApproval: true, permitFor: 30d']],
  ['a queue of another team', ['security: { team: security }', 'security: { team: platform }']],
  ['who witnesses the trail', ['version: 1', `version: 1\naudit: { witnesses: [${witness}] }`]],
  ['a right', ['manageRuns: [operators]', 'manageRuns: [platform]']],
  ['the default queue', ['queue: platform }', 'queue: security }']],
  [
    'whether decisions are signed',
    ['security: { team: security }', 'security: { team: security, signature: required }'],
  ],
] as const)('a second person has to agree to a change of who decides: %s', (_title, [from, to]) => {
  expect(second(base, folder({ [config]: [from, to] }))).not.toEqual([])
})

test('a second person has to agree to another routing, its order, and a worker that leaves its queue', () => {
  expect(second(base, routed(first))).toEqual(['routing'])
  expect(second(routed(first + other), routed(other + first))).toEqual(['routing (order)'])
  const moved = folder({ 'workers/scribe.md': ['name: scribe', 'name: scribe\nqueue: security'] })
  expect(second(base, moved)).toEqual(['workers.scribe.queue'])
})

// Rules: product.md 17
test('a second person has to agree to who is behind the runs of schedules and triggers, and behind deployments', () => {
  const withStarts = (more: Record<string, string> = {}): Policy => {
    const { as, text, asOfTrigger, people, key, signedWith, toldWith } = {
      as: 'ada@example.com',
      text: 'Go',
      asOfTrigger: 'ada@example.com',
      people: '101: ada@example.com',
      key: '${SHOP_KEY}',
      signedWith: '${SHOP_SECRET}',
      toldWith: '${HOOK_SECRET}',
      ...more,
    }
    return folder({
      [config]: [
        'version: 1',
        `version: 1
schedules: { nightly: { worker: scribe, input: "${text}", cron: "0 3 * * *", as: ${as} } }
triggers: { deploys: { worker: scribe, secret: "${toldWith}", as: ${asOfTrigger} } }
deployments:
  shop:
    { secret: "${signedWith}", key: "${key}", token: "\${SHOP_TOKEN}", repositories: { acme/shop: 7 }, people: { ${people} } }`,
      ],
    })
  }
  const before = withStarts()
  const changes: [Record<string, string>, string][] = [
    [{ as: 'linus@example.com' }, 'schedules.nightly.as'],
    [{ text: 'Deploy' }, 'schedules.nightly.input'],
    [{ asOfTrigger: 'linus@example.com' }, 'triggers.deploys.as'],
    [{ people: '101: linus@example.com' }, 'deployments.shop.people.101'],
    [{ people: '101: nobody' }, 'deployments.shop.people.101'],
    [{ people: '102: ada@example.com, 101: ada@example.com' }, 'deployments.shop.people.102'],
    [{ key: '${OTHER_KEY}' }, 'deployments.shop.keyFrom'],
    // Whoever knows the secret decides who starts the run: PATH is a value that people know.
    [{ signedWith: '${PATH}' }, 'deployments.shop.secretFrom'],
    [{ toldWith: '${OTHER_SECRET}' }, 'triggers.deploys.secretFrom'],
  ]
  for (const [change, at] of changes) expect(second(before, withStarts(change))).toContain(at)
  expect(second(base, before)).toContain('schedules.nightly.as')
})

test('no second person has to agree to a change of other settings than teams, quorum, self-approval and rights', () => {
  const harmless = folder({
    [config]: ['expiresAfter: 72h', 'expiresAfter: 1h'],
    'workers/scribe.md': ['You write notes.', 'You write long notes.'],
    'workers/new.md': '---\nmodel: script:./scripts/scribe.yaml\nqueue: security\n---\nNew.\n',
  })
  const difference = compareVersions(base, harmless)
  expect(difference.secondPerson).toEqual([])
  expect(difference.files).toContainEqual({ path: 'workers/new.md', change: 'added' })
  expect(difference.settings).toContainEqual({
    at: 'workers.scribe.instructions',
    before: 'You write notes.',
    after: 'You write long notes.',
  })
})

test('compared with nothing every setting is new, and no second person has to agree', () => {
  const difference = compareVersions(null, base)
  expect(difference.files.every((file) => file.change === 'added')).toBe(true)
  expect(difference.secondPerson).toEqual([])
})

test('shell rules, routing, overlays, escalations and budgets are said in words, and two rules with the same words by their text', () => {
  const rules = (text: string): Policy =>
    folder({
      'workers/scribe.md': [
        'name: scribe',
        `name: scribe\nshell: { default: ask, rules: [${text}] }`,
      ],
    })
  const changesOf = (before: Policy, after: Policy) =>
    compareVersions(before, after).settings.map(({ at, before: old, after: now }) => [at, old, now])
  const find =
    '{ pattern: find, approval: preApproved, unlessArgs: [-exec, -delete], zones: notes }'
  const push = '{ pattern: git push, approval: blocked, reason: not from here }'
  const [findWords, pushWords] = [
    'without approval: Run find, but not with -exec or -delete, only in zone notes',
    'never: Run git push · not from here',
  ]
  const at = 'workers.scribe.shell.rules'
  expect(changesOf(rules(find), rules(push))).toEqual([[at, findWords, pushWords]])
  expect(changesOf(rules(`${find}, ${push}`), rules(`${push}, ${find}`))).toEqual([
    [`${at} (order)`, `${findWords} → ${pushWords}`, `${pushWords} → ${findWords}`],
  ])
  expect(changesOf(base, routed(other))).toContainEqual([
    'routing',
    null,
    'calls of write_file: queue platform',
  ])
  const more = folder({
    [config]: [
      'rights:',
      'budgets: [{ worker: "*", costUsd: 20, period: month }]\noverlays: [{ when: { command: git push }, approval: blocked, reason: not here }]\nrights:',
    ],
  })
  expect(changesOf(base, more)).toEqual([
    ['budgets', null, 'all workers together: $20 a month'],
    ['overlays', null, 'never: calls that run git push · not here'],
  ])
  const stepped = folder({
    [config]: [
      '{ team: security }',
      '{ team: security, escalate: [{ after: 24h, addTeams: [platform] }] }',
    ],
  })
  expect(changesOf(base, stepped)).toContainEqual([
    'queues.security.escalate',
    null,
    'to platform after 1d',
  ])
  // The words of a pattern can be those of a condition.
  const plain = '{ pattern: "find, but not with -exec", approval: ask }'
  const bounded = '{ pattern: find, approval: ask, unlessArgs: -exec }'
  const [[, before, after] = []] = changesOf(rules(plain), rules(bounded))
  expect(before).toContain('"find,"')
  expect(after).toContain('"unlessArgs":["-exec"]')
})

test('secrets, and values for other programs, are replaced by length and hash', () => {
  const key = `ghp_${'a'.repeat(36)}`
  const after = folder({
    'workers/scribe.md': [
      'description: Writes notes\nmodel:',
      `description: "use ${key}"\nmcpServers: { wiki: { command: wiki, env: { PIN: "1234" } } }\nmodel:`,
    ],
  })
  const { settings } = compareVersions(
    folder({ 'workers/scribe.md': ['description: Writes notes\n', ''] }),
    after,
  )
  const masked = JSON.stringify(settings.map(maskChange))
  expect(masked).toContain('GitHub token, 40 characters, sha256:')
  expect(masked).toContain('[value, 4 characters, sha256:')
  expect(masked).not.toMatch(/aaaa|1234"/)
})
