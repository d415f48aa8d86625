import { expect, test } from 'vitest'
import { parseConfig } from '#test/harness/fixtures/project.ts'

const head = `version: 1
teams: { platform: { members: [ada@example.com] } }
queues: { platform: { team: platform } }
`

function parse(more: string) {
  const { config, problems } = parseConfig(
    `${head}mcpServers: { files: { command: files${more} } }\n`,
  )
  if (config !== null) return { holdMs: config.mcpServers.get('files')?.holdMs }
  return { problems: problems.map(({ problem }) => problem) }
}

test('a call of the gateway waits 45 seconds, or as long as holdSeconds says', () => {
  expect(parse('')).toEqual({ holdMs: 45_000 })
  expect(parse(', holdSeconds: 0')).toEqual({ holdMs: 0 })
  expect(parse(', holdSeconds: 600')).toEqual({ holdMs: 600_000 })
})

test.each(['601', '-1', '1.5', '45s', 'true'])('holdSeconds: %s is refused', (value) => {
  const { problems = [] } = parse(`, holdSeconds: ${value}`)
  expect(problems.join(' ')).toContain('holdSeconds')
})
