import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import type { ProjectFiles } from '#policy/policy.ts'
import { parseProject } from '#policy/project/parse-project.ts'
import { seededChoices, type Choices } from '../../shell/seeded.ts'
import { cpuMsOf } from '../cpu-time.ts'
import { mutateBytes } from './mutate.ts'
import { seedOfRun } from '../seed-of-run.ts'

const rounds = 6000
const examples = fileURLToPath(new URL('../../../examples', import.meta.url))

const scalars = [
  '1',
  '-0',
  '1e400',
  '.nan',
  '.inf',
  '0x1F',
  '0o7',
  '~',
  'true',
  'yes',
  '2026-11-23',
  '"a\\u0000b"',
  "''",
  '"\\ud800"',
  'ada@example.com',
  '|\n  text\n',
  '>-\n  text\n',
  '`',
  '%',
  '@',
  '!!binary aGk=',
  '!!js/function 1',
  '!!set {a, b}',
  '!!omap [a: 1]',
  '!<tag:yaml.org,2002:str> x',
  '&a x',
  '*a',
  '*missing',
  '<<',
  '__proto__',
  'constructor',
  'toString',
  '"__proto__"',
  'preApproved',
  'ask',
  '**/*',
  '../..',
  '{ [a]: 1 }',
  '? [a, b]\n: c\n',
]
const names = [
  'version',
  'people',
  'teams',
  'queues',
  'defaults',
  'routing',
  'overlays',
  'workspaces',
  'rights',
  'signIn',
  'retention',
  'commit',
  'webhooks',
  'audit',
  'email',
  'slack',
  'name',
  'model',
  'zones',
  'tools',
  'shell',
  'limits',
  'mcpServers',
  'workers',
  'turns',
  'calls',
  'input',
  'tool',
  '__proto__',
  'constructor',
  '<<',
  '1',
  '"1"',
  '',
  'a',
]
const pieces = [
  ...scalars,
  ...names.map((name) => `${name}: `),
  '---\n',
  '...\n',
  '%YAML 1.1\n',
  '\t',
  '\r\n',
  '\r',
  '\u0085',
  '\u2028',
  '\ufeff',
  '\0',
  '# x\n',
  '- ',
  '? ',
  ': ',
  '[',
  ']',
  '{',
  '}',
  ',',
  '&a ',
  '*a',
  '<<: *a\n',
  '\n  ',
]

/** A document of several lines, from nothing but what readers find hard. */
function anyDocument(choose: Choices): string {
  if (choose.percent(5)) return bomb(choose)
  return `version: 1\n${Array.from({ length: choose.number(8) }, () => `${choose.one(names)}: ${anyNode(choose, 4)}\n`).join('')}`
}

function anyNode(choose: Choices, depth: number): string {
  const marked = choose.percent(5) ? `&${choose.one(['a', 'b'])} ` : ''
  if (depth === 0 || choose.percent(40)) return marked + choose.one(scalars)
  const members = Array.from({ length: choose.number(4) }, () => anyNode(choose, depth - 1))
  return choose.percent(50)
    ? `${marked}[${members.join(', ')}]`
    : `${marked}{${members.map((member) => `${choose.one(names)}: ${member}`).join(', ')}}`
}

/** What grows when it is read: aliases of aliases, nesting, very many keys, one very long text. */
function bomb(choose: Choices): string {
  const count = 1 + choose.number(choose.percent(20) ? 5000 : 60)
  const lines = Array.from(
    { length: Math.min(count, 90) },
    (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`,
  )
  return choose.one([
    `version: 1\na0: &a0 x\n${lines.join('\n')}\n`,
    `version: 1\nteams: &t { a: *t }\n`,
    `version: 1\nrouting: ${'['.repeat(count)}`,
    `version: 1\nrouting: ${'{a: '.repeat(count)}`,
    `version: 1\nrouting:\n${Array.from({ length: Math.min(count, 300) }, (_, at) => `${' '.repeat(at)}- `).join('\n')}`,
    `version: 1\nteams: { ${Array.from({ length: count }, (_, at) => `k${at}: {}`).join(', ')} }`,
    `version: 1\npeople: ["${'x'.repeat(count)}"]`,
    `version: 1\n${'? '.repeat(count)}`,
    `version: 1\npeople: ${'!!a '.repeat(count)}x`,
    `version: 1\npeople: ${'- '.repeat(count)}x`,
    `version: 1\n${'"'.repeat(count)}`,
    `version: 1\n${'&a '.repeat(count)}`,
    `version: 1\n#${' #'.repeat(count)}`,
  ])
}

/** The project folders of the examples, which are valid. */
function exampleProjects(): ProjectFiles[] {
  return ['quickstart', 'delegation'].map((example) => {
    const folder = join(examples, example)
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const texts = paths
      .filter((path) => /^countersign\.yaml$|^workers\/.*\.md$|^scripts\/.*\.yaml$/.test(path))
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')] as const)
    return { texts: new Map(texts), toolFiles: [] }
  })
}

/** A project of which one file, or each, is not what its author wrote. */
function anyProject(choose: Choices, projects: readonly ProjectFiles[]): ProjectFiles {
  const texts = new Map(choose.one(projects).texts)
  const paths = [...texts.keys()]
  for (const path of choose.percent(70) ? [choose.one(paths)] : paths) {
    const text = texts.get(path) ?? ''
    const isWorker = path.endsWith('.md')
    const fresh = isWorker
      ? `---\nmodel: openai:x\n${anyDocument(choose)}---\nWrite.\n`
      : anyDocument(choose)
    const base = choose.percent(50) ? text : fresh
    texts.set(
      path,
      choose.percent(70) ? mutateBytes(choose, Buffer.from(base), pieces).toString('utf8') : base,
    )
  }
  return { texts, toolFiles: [] }
}

const prototypes = [
  Object.prototype,
  Array.prototype,
  Map.prototype,
  Function.prototype,
  String.prototype,
]
const ownNames = (): string[][] => prototypes.map((one) => Object.getOwnPropertyNames(one))

// Rules: security.md 24
test(`${rounds} broken projects are read or answered with problems at their lines, each within 100 ms or five times what the YAML reader needs`, () => {
  const seed = seedOfRun()
  const choose = seededChoices(seed)
  const projects = exampleProjects()
  for (const project of projects) expect(parseProject(project)).toHaveProperty('policy')
  const before = ownNames()
  let valid = 0
  for (let round = 0; round < rounds; round += 1) {
    const project = anyProject(choose, projects)
    const what = `SEED=${seed} round ${round}: ${JSON.stringify([...project.texts]).slice(0, 2000)}`
    const take = (): number =>
      cpuMsOf(() => {
        try {
          const parsed = parseProject(project)
          if ('policy' in parsed) valid += 1
          checkPlaces('problems' in parsed ? parsed.problems : parsed.warnings, project, what)
        } catch (error) {
          throw new Error(what, { cause: error })
        }
      })
    // Looked at again when it was slow: what was compiled or collected meanwhile is not its own.
    const maxMs = (): number => Math.max(100, 5 * readingMs(project))
    const slow = take() >= 100 && Math.min(take(), take(), take()) >= maxMs()
    expect(slow, what).toBe(false)
  }
  expect(ownNames()).toEqual(before)
  expect(valid).toBeGreaterThan(rounds / 50)
  expect(valid).toBeLessThan(rounds)
}, 240_000)

/** What the YAML reader alone needs for these files: the floor of any check, on any machine. */
function readingMs(project: ProjectFiles): number {
  return cpuMsOf(() => {
    for (const text of project.texts.values()) {
      try {
        parseDocument(text, { uniqueKeys: false })
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
      }
    }
  })
}

function checkPlaces(
  problems: readonly { file: string; line: number | null; problem: string; remedy: string }[],
  project: ProjectFiles,
  what: string,
): void {
  for (const { file, line, problem, remedy } of problems) {
    const lines = (project.texts.get(file) ?? '').split('\n').length
    if (line !== null)
      expect(line >= 1 && line <= lines + 1, `${what}: ${file}:${line} ${problem}`).toBe(true)
    expect(problem !== '' && remedy !== '', `${what}: ${problem}`).toBe(true)
  }
}
