import { expect, test } from 'vitest'
import { parseProject } from '../project/parse-project.ts'

/** Problems of a folder with this countersign.yaml, as `line problem -> remedy`. */
function problemsOf(config: string, worker?: string): string[] {
  const texts = new Map([['countersign.yaml', config]])
  if (worker !== undefined) texts.set('workers/scribe.md', worker)
  const parsed = parseProject({ texts, toolFiles: [] })
  const found = 'problems' in parsed ? parsed.problems : parsed.warnings
  return found.map(({ line, problem, remedy }) => `${line} ${problem} -> ${remedy}`)
}

function many(count: number, one: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => one(index)).join('')
}

const hostile: readonly (readonly [what: string, config: string, said: string])[] = [
  [
    'a key that is there twice',
    'version: 1\nteams: {}\nteams: {}',
    '3 not valid YAML: the key "teams" is there twice -> give each key once',
  ],
  [
    'one key in two spellings',
    'version: 1\nteams: { 1: {}, "1": {} }',
    '2 not valid YAML: the key "1" is there twice -> give each key once',
  ],
  [
    'an alias without an anchor',
    'version: 1\nteams: { a: *b }',
    '2 not valid YAML: *b has no anchor &b before it -> name an anchor, or quote a text that begins with "*"',
  ],
  [
    'a merge key',
    'version: 1\nteams: { a: &a { members: [] }, b: { <<: *a } }',
    '2 unknown key "teams.b.<<" -> write out what you would merge',
  ],
  [
    'a key that is no text',
    'version: 1\nteams: { [a]: {} }',
    '2 "teams" has a key that is no name -> write a name',
  ],
  [
    'tabs',
    'version: 1\nteams:\n\ta: {}',
    '3 not valid YAML: Tabs are not allowed as indentation -> indent with spaces',
  ],
  [
    'a second document',
    'version: 1\n---\nversion: 1',
    '2 not valid YAML: it holds a second document -> remove the line `---`',
  ],
  [
    'a tag',
    'version: !!js/function 1',
    '1 Unresolved tag: tag:yaml.org,2002:js/function -> remove the tag',
  ],
  [
    'a list that has ended',
    'version: 1\nteams: ]',
    '2 not valid YAML: Unexpected flow-seq-end token in YAML stream: "]" -> correct the syntax; quote texts with special characters',
  ],
  [
    'ends of lists without end',
    `version: 1\nteams: ${']'.repeat(700_000)}`,
    '2 not valid YAML: it has over 600,000 words and marks -> keep configuration files small',
  ],
  [
    'nesting without end',
    `version: 1\nrouting: ${'['.repeat(20_000)}`,
    '2 not valid YAML: it is nested over 100 levels deep -> nest it less',
  ],
]

test.each(hostile)('%s is refused with a sentence', (_what, config, problem) => {
  expect(problemsOf(config)).toContain(problem)
})

test.each([
  ['an empty file', ''],
  ['a file of blank lines', '\n\n'],
])('%s is reported as having no settings', (_what, config) => {
  expect(problemsOf(config)).toEqual([expect.stringContaining('1 the file is not a mapping')])
})

test('a key without its value counts as absent, and has a warning', () => {
  expect(problemsOf('version: 1\nqueues: { platform: { team } }')).toEqual([
    '2 "queues.platform.team" has no value, so its default applies -> write a value, or remove the key',
    '2 "queues.platform" has no "team" -> name the team whose inbox it is',
  ])
})

test.each([
  ['mcpServers:\n  files:\n    command: node\n    holdSeconds:', 'mcpServers.files.holdSeconds', 5],
  ['overlays:', 'overlays', 2],
  ['routing: [{ when: { tool: ~ }, risk: high }]', 'routing[0].when.tool', 2],
])('an empty setting is a warning with its key and line: %s', (text, at, line) => {
  expect(problemsOf(`version: 1\n${text}`)).toContain(
    `${line} "${at}" has no value, so its default applies -> write a value, or remove the key`,
  )
})

test.each([
  ['who may start a worker', 'startableBy:'],
  [
    'the flags that keep a rule from applying',
    'shell: { rules: [{ pattern: ls, approval: ask, unlessArgs: }] }',
  ],
])('a worker file that leaves %s empty gets a warning', (_what, line) => {
  expect(problemsOf('version: 1', `---\nmodel: openai:x\n${line}\n---\nx`)).toContainEqual(
    expect.stringContaining('has no value, so its default applies'),
  )
})

test.each(['"a\\0b"', '"a\\e[2J"', '"a\\u0085b"', '"\\uD800"'])(
  'a text with the control character or half character of %s is refused, with its key and line',
  (text) => {
    expect(problemsOf(`version: 1\nworkspaces:\n  default:\n    root: ${text}`)).toContain(
      '4 "workspaces.default.root" has a control character -> leave it out',
    )
    const server = `mcpServers:\n  files: { command: node, env: { A: ${text} } }`
    expect(problemsOf('version: 1', `---\nmodel: openai:x\n${server}\n---\nx`)).toContain(
      '4 "mcpServers.files.env.A" has a control character -> leave it out',
    )
  },
)

test.each(['.nan', '.inf', '-.inf', '1e400', '9007199254740993', '0.5', '"3"', '[]', '{}', '""'])(
  'no count is %s',
  (value) => {
    const limits = `limits:\n  turns: ${value}`
    expect(problemsOf('version: 1', `---\nmodel: openai:x\n${limits}\n---\nx`)).toContainEqual(
      expect.stringMatching(
        /^4 "limits.turns" is .* -> write a whole number from 1 to 1000000000$/,
      ),
    )
  },
)

test('a person cannot be listed twice by an address with invisible characters', () => {
  expect(
    problemsOf('version: 1\npeople:\n- email: ada@example.com\n- email: "ada@example.com\\u200b"'),
  ).toEqual([
    expect.stringContaining('4 "people[1].email" is "ada@example.com\u{200B}", not an e-mail'),
  ])
})

test('an alias has the value of its anchor, also of a mapping', () => {
  expect(
    problemsOf('version: 1\nteams: { a: &a { members: [ada@example.com] }, b: *a }\n'),
  ).toEqual([])
})

test('a bomb of aliases is one problem', () => {
  const config = `version: 1\nteams: { a: { members: [&a ada@example.com, ${many(200, () => '*a,')}] } }`
  expect(problemsOf(config)).toEqual([
    '2 not valid YAML: it has more than 100 aliases -> write the values out',
  ])
})

const huge: readonly (readonly [what: string, config: string])[] = [
  ['keys', many(15_000, (index) => `key${index}: 1\n`)],
  ['aliases', `version: 1\npeople: [&a x, ${many(60_000, () => '*a,')}]`],
  ['members', `version: 1\nrouting: [${many(60_000, () => '1,')}]`],
  ['problems', `version: 1\nrouting: [${many(4000, () => '1,')}]`],
  ['keys of one name', `version: 1\n${many(30_000, () => 'a: 1\n')}`],
  ['lists inside of each other', `version: 1\nrouting: ${'['.repeat(1_000_000)}`],
  ['keys that are keys', `version: 1\nrouting:\n ${'? '.repeat(500_000)}`],
  ['items that are lists', `version: 1\nrouting:\n ${'- '.repeat(500_000)}`],
  ['ends of lists that have not begun', `version: 1\n${']'.repeat(1_000_000)}`],
  ['mistakes in a list', `version: 1\nrouting: [${','.repeat(1_000_000)}]`],
  ['mistakes in lines', `version: 1\n${']\n'.repeat(140_000)}`],
]

/**
 * A file of a million bytes took minutes when keys were compared with each other, and a model may
 * write one.
 */
test.each(huge)(
  'a file with very many %s is refused as fast as it can be read',
  (_what, config) => {
    expect(config.length).toBeLessThan(1024 * 1024)
    expect(problemsOf(config, `---\nmodel: openai:x\n${config}\n---\n`).length).toBeGreaterThan(0)
  },
)

test('of very many problems the first ones and the number of the others are shown', () => {
  const found = problemsOf(`version: 1\n${many(3000, (index) => `k${index}: 1\n`)}`)
  expect(found).toHaveLength(1001)
  expect(found.at(-1)).toBe('1002 2000 more problems are not shown -> correct those above first')
})

test('a file over 1 MiB is not read', () => {
  expect(problemsOf(`version: 1\n# ${'x'.repeat(1024 * 1024)}`)).toContain(
    'null the file is over 1 MiB -> keep configuration files small',
  )
})

test('an unreadable countersign.yaml is one problem, not one for each name that it would define', () => {
  const worker = '---\nmodel: openai:x\nqueue: platform\nstartableBy: [platform]\n---\nx'
  expect(problemsOf('version: 1\nteams: {', worker)).toHaveLength(1)
  expect(problemsOf('- a', worker)).toHaveLength(1)
})

test('the other files are read although one is malformed', () => {
  expect(problemsOf('version: 1\0', '---\nmodl: openai:x\n---\n')).toEqual([
    'null the file is not valid UTF-8 text -> save it as UTF-8 without NUL characters',
    '1 the file has no "model" -> write `model: anthropic:…` or `model: script:./demo.yaml`',
    '2 unknown key "modl" -> did you mean "model"?',
  ])
})

test('CRLF line ends and a byte order mark are accepted', () => {
  const config = '\uFEFFversion: 1\r\nteams:\r\n  a: { member: [] }\r\n'
  expect(problemsOf(config)).toEqual(['3 unknown key "teams.a.member" -> did you mean "members"?'])
  const worker = '\uFEFF---\r\nmodel: openai:x\r\nqueeu: a\r\n---\r\nWrite.\r\n'
  expect(problemsOf('version: 1\r\ndefaults: {}', worker)).toContain(
    '3 unknown key "queeu" -> did you mean "queue"?',
  )
})

test.each([
  ['nmae', 'name'],
  ['descripton', 'description'],
  ['MODEL2', 'model'],
  ['mcp_servers', 'mcpServers'],
  ['zone', 'zones'],
  ['desc', 'description'],
])('a near miss is suggested: %s -> %s', (key, meant) => {
  expect(problemsOf('version: 1', `---\n${key}: x\n---\n`)).toContain(
    `2 unknown key "${key}" -> did you mean "${meant}"?`,
  )
})
