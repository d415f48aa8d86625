import { expect, test } from 'vitest'
import { parseProject } from '../parse-project.ts'

function parse(more: string) {
  const parsed = parseProject({
    texts: new Map([
      [
        'countersign.yaml',
        `version: 1
teams: { platform: { members: [ada@example.com] } }
queues: { platform: { team: platform } }
mcpServers: { files: { command: files${more} } }
`,
      ],
    ]),
    toolFiles: [],
  })
  if ('policy' in parsed) return { holdMs: parsed.policy.config.mcpServers.get('files')?.holdMs }
  return { problems: parsed.problems.map(({ problem }) => problem) }
}

test('a call of the gateway is held for 45 seconds, or for as long as holdSeconds says', () => {
  expect(parse('')).toEqual({ holdMs: 45_000 })
  expect(parse(', holdSeconds: 0')).toEqual({ holdMs: 0 })
  expect(parse(', holdSeconds: 600')).toEqual({ holdMs: 600_000 })
})

test.each(['601', '-1', '1.5', '45s', 'true'])('holdSeconds: %s is refused', (value) => {
  const { problems = [] } = parse(`, holdSeconds: ${value}`)
  expect(problems.join(' ')).toContain('holdSeconds')
})
