import { expect, test } from 'vitest'
import { projectWith } from '#test/harness/fixtures/judging.ts'
import { possibleRoutes, routesOf } from './possible-routes.ts'

/** Where the asks of the worker `scribe` may go: `tool>queue (teams)`, each once. */
function routes(front: string, config?: string): string[] {
  const policy = projectWith(front, config)
  const worker = policy.workers.get('scribe')
  if (worker === undefined) throw new Error('the project has a worker scribe')
  return possibleRoutes(policy, worker).map((route) => {
    if (route.queue === null) return `${route.tool}>nowhere`
    const teams = route.quorum.any
      .flat()
      .map((place) => place.team)
      .join(',')
    return `${route.tool}>${route.queue} (${teams})`
  })
}

const writing = 'zones: [{ name: all, root: ., mode: rw, approval: { delete: blocked } }]'

test('a worker whose calls never ask needs nobody', () => {
  const reading = 'zones: [{ name: all, root: ., mode: ro }]'
  expect(routes(reading, '')).toEqual([])
  expect(routes('', '')).toEqual([])
  const free = '{ write: preApproved, delete: preApproved }'
  expect(routes(`zones: [{ name: all, root: ., mode: rw, approval: ${free} }]`, '')).toEqual([])
  const free2 = 'workers: [scribe]\ntools: { call_worker: { approval: preApproved } }'
  expect(routes(free2, '')).toEqual([])
})

// Rules: product.md 22
test('calls that ask without a queue have no route', () => {
  expect(routes(writing, '')).toEqual([
    'write_file>nowhere',
    'edit_file>nowhere',
    'move_file>nowhere',
  ])
  expect(routes('tools: { notify: {} }', '')).toEqual(['notify>nowhere'])
  expect(routes('workers: [scribe]', '')).toEqual(['call_worker>nowhere'])
  const sharing = 'zones: [{ name: all, root: ., mode: ro }]\nworkers: [scribe]'
  const tools = 'tools: { call_worker: { approval: preApproved } }'
  expect(routes(`${sharing}\n${tools}`, '')).toEqual(['call_worker>nowhere'])
  const answered = 'tools: { ask_person: { approval: preApproved } }'
  expect(routes(answered, '')).toEqual(['ask_person>nowhere'])
})

test('calls that ask go to the default queue, or to the worker’s own', () => {
  expect(new Set(routes(writing))).toContain('write_file>platform (platform)')
  expect(routes(`queue: security\n${writing}`)).toContain('write_file>security (security)')
})

test('an entry about paths outside of the worker’s zones is no route of its file tools', () => {
  const notes = 'zones: [{ name: notes, root: notes, mode: rw, approval: { delete: blocked } }]'
  const at = (path: string) => {
    const config = `defaults: { queue: platform }\nrouting: [{ when: { path: "${path}" }, queue: security }]\n`
    return routes(notes, config).includes('write_file>security (security)')
  }
  expect(['infra/**', 'notes2/*', 'note'].map(at)).toEqual([false, false, false])
  expect(['notes/a.md', 'notes/**', 'notes', '**', '*.md', '!infra/**'].map(at)).not.toContain(
    false,
  )
  expect(['notes/a/**/b', '{notes,infra}/**'].map(at)).toEqual([true, true])
  const tool = 'tools: { notify: {} }'
  const config = `defaults: { queue: platform }\nrouting: [{ when: { path: "infra/**" }, queue: security }]\n`
  expect(routes(tool, config)).toContain('notify>security (security)')
})

test('an entry that may match is one route among others; an entry that must match is the only one', () => {
  const entry = (when: string) =>
    `defaults: { queue: platform }\nrouting: [{ when: ${when}, queue: security }]\n`
  const tool = 'tools: { notify: { approval: ask } }'
  expect(routes(tool, entry('{ risk: high }'))).toEqual([
    'notify>security (security)',
    'notify>platform (platform)',
  ])
  expect(routes(tool, entry('{ tool: "not*" }'))).toEqual(['notify>security (security)'])
  expect(routes(tool, entry('{ tool: other }'))).toEqual(['notify>platform (platform)'])
  expect(routes(tool, entry('{ command: git }'))).toEqual(['notify>platform (platform)'])
})

test('an overlay that asks and a protected list let a pre-approved zone ask', () => {
  const free = '{ write: preApproved, delete: preApproved }'
  const zone = `name: all, root: ., mode: rw, approval: ${free}`
  const overlay = 'overlays: [{ when: { path: "infra/**" }, approval: ask }]\n'
  expect(routes(`zones: [{ ${zone} }]`, overlay)).toContain('read_file>nowhere')
  expect(routes(`zones: [{ ${zone}, protected: [.env] }]`, '')).toContain('write_file>nowhere')
})

test('a quorum adds the teams that it needs', () => {
  const both = `defaults: { queue: platform }
routing: [{ when: {}, quorum: { allOf: [{ team: platform }, { team: security }] } }]
`
  expect(routes(writing, both)).toContain('write_file>platform (platform,security)')
})

test('commands ask unless every rule blocks, and may go to the queue of an entry about commands', () => {
  const entry =
    'defaults: { queue: platform }\nrouting: [{ when: { command: git push }, queue: security }]\n'
  const both = (tool: string) => [`${tool}>security (security)`, `${tool}>platform (platform)`]
  expect(routes('shell: { default: ask }', entry)).toEqual([...both('exec'), ...both('shell')])
  const rules = 'shell: { rules: [{ pattern: ls, approval: preApproved }] }'
  expect(routes(rules, '')).toEqual(['exec>nowhere', 'shell>nowhere'])
  expect(routes('shell: { rules: [{ pattern: ls, approval: blocked }] }', '')).toEqual([])
})

test('a path that lies outside of a folder routes no call on a file in it', () => {
  const queuesIn = (place: string, path: string, tool = 'write_file') => {
    const policy = projectWith(
      writing,
      `defaults: { queue: platform }\nrouting: [{ when: { path: '${path}' }, queue: security }]\n`,
    )
    const routed = routesOf(policy.config, policy.workers.get('scribe')!, tool, place)
    return routed.map(({ queue }) => queue).join(' ')
  }
  expect(queuesIn('notes', 'infra/**')).toBe('platform')
  expect(queuesIn('notes', 'infra/*/main.tf')).toBe('platform')
  expect(queuesIn('infra', 'infra/**')).toBe('security platform')
  expect(queuesIn('infra', 'infra/live/**')).toBe('security platform')
  expect(queuesIn('infra/live', 'infra/**')).toBe('security platform')
  // All of the workspace, a name in any folder, a negation, and a call that reaches two folders.
  expect(queuesIn('', 'infra/**')).toBe('security platform')
  expect(queuesIn('notes', 'main.tf')).toBe('security platform')
  expect(queuesIn('notes', '!infra/**')).toBe('security platform')
  expect(queuesIn('notes', 'infra/**', 'move_file')).toBe('security platform')
  expect(queuesIn('notes', 'infra/**', 'exec')).toBe('security platform')
})
