import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { mcpBench, policyWith, stdioServer, type McpBench } from './mcp.fixture.ts'

function hostile(how: string, bench?: McpBench): ReturnType<typeof policyWith> {
  const journal = bench === undefined ? [] : [path.join(bench.root, 'journal')]
  return policyWith({ hostile: stdioServer('hostile-server.ts', [how, ...journal]) })
}

function calls(bench: McpBench): number {
  return readFileSync(path.join(bench.root, 'journal'), 'utf8').split('\n').length - 1
}

describe('an MCP server that', () => {
  it('answers correctly is called once', async () => {
    await using bench = mcpBench()
    const tool = await bench.tool(hostile('well', bench), 'mcp__hostile__act')
    expect(await bench.call(tool)).toMatchObject({ type: 'output', text: 'acted' })
    expect(calls(bench)).toBe(1)
  })

  it.each([
    ['dies', /lost while act ran: it ended with exit code 7; it said: I cannot go on/],
    ['floods', /lost while act ran: A message has more than/],
  ])(
    '%s in the middle of a call leaves its outcome unknown, and serves the next',
    async (how, why) => {
      await using bench = mcpBench()
      const policy = hostile(how, bench)
      const tool = await bench.tool(policy, 'mcp__hostile__act')
      await expect(bench.call(tool)).rejects.toThrow(why)
      expect(calls(bench)).toBe(1)
      expect((await bench.registry(policy)).get('mcp__hostile__act')).toBeDefined()
    },
  )

  it('hangs is ended with the call when the run is cancelled, and no other call is ended with it', async () => {
    await using bench = mcpBench()
    const tool = await bench.tool(hostile('hangs', bench), 'mcp__hostile__act')
    const stop = new AbortController()
    const hanging = bench.call(tool, {}, { signal: stop.signal })
    hanging.catch(() => undefined)
    const well = await bench.tool(hostile('well'), 'mcp__hostile__act')
    expect(await bench.call(well)).toMatchObject({ text: 'acted' })
    stop.abort('cancelled')
    await expect(hanging).rejects.toThrow(/cancelled|was ended|lost while/)
  })

  it('answers nonsense is an error or unknown, never a crash', async () => {
    await using bench = mcpBench()
    const nonsense = await bench.tool(hostile('nonsense'), 'mcp__hostile__act')
    await expect(bench.call(nonsense)).rejects.toThrow(/was lost while act ran/)
    const odd = await bench.tool(hostile('no-content'), 'mcp__hostile__act')
    const answered = await bench.call(odd).catch((error: unknown) => error)
    expect(JSON.stringify(answered) ?? String(answered)).not.toContain('undefined')
  })

  it('refuses a call as the protocol allows gives the model an error', async () => {
    await using bench = mcpBench()
    const tool = await bench.tool(hostile('refuses'), 'mcp__hostile__act')
    const result = await bench.call(tool)
    expect(result).toMatchObject({ type: 'error', text: expect.stringContaining('no such luck') })
  })

  it('requests a model’s answer, a person’s input or our folders is refused each time', async () => {
    await using bench = mcpBench()
    const tool = await bench.tool(hostile('asks-back'), 'mcp__hostile__act')
    expect(await bench.call(tool)).toMatchObject({
      text: 'sampling/createMessage: refused, elicitation/create: refused, roots/list: refused',
    })
  })

  it.each(['storms', 'other-id'])(
    '%s around its answer is still read to the answer',
    async (how) => {
      await using bench = mcpBench()
      const tool = await bench.tool(hostile(how, bench), 'mcp__hostile__act')
      for (const _ of [1, 2]) {
        expect(await bench.call(tool)).toMatchObject({ type: 'output', text: 'acted' })
      }
      expect(calls(bench)).toBe(2)
    },
  )

  it('returns more than the limit: its result is cut, with the exact size', async () => {
    await using bench = mcpBench()
    const { output, text } = await bench.call(
      await bench.tool(hostile('large'), 'mcp__hostile__act'),
    )
    expect(output).toEqual({
      omitted: expect.stringMatching(/^The output had 125829\d\d bytes/),
      bytes: expect.any(Number) as number,
    })
    expect(text.length).toBeLessThan(70_000)
    expect(text).toMatch(/\[\d+ bytes are left out\]$/)
  })

  it.each([
    ['input_required', /lost while act ran: Input-required results are not supported/],
    ['task', /lost while act ran: it answered with "task" instead of a result/],
  ])('answers with %s gets no input, and its call may have run', async (how, why) => {
    await using bench = mcpBench()
    const tool = await bench.tool(hostile(how, bench), 'mcp__hostile__act')
    await expect(bench.call(tool)).rejects.toThrow(why)
    expect(calls(bench)).toBe(1)
  })

  it.each(['babbles', 'endless-list', 'crowded-list'])(
    '%s instead of listing its tools is reported in a sentence',
    async (how) => {
      await using bench = mcpBench()
      const tool = await bench.tool(hostile(how), 'mcp__hostile__act')
      expect(await tool.parse({})).toMatchObject({ ok: false, problems: [/does not answer/] })
    },
  )

  it('lists tools that cannot be offered: the other ones are kept', async () => {
    await using bench = mcpBench()
    const policy = hostile('odd-list')
    const registry = await bench.registry(policy)
    expect(registry.all().map((tool) => tool.name)).toEqual([
      'read_result',
      'mcp__hostile__act',
      'mcp__hostile__unheard_of',
      'mcp__hostile__slow_pattern',
    ])
    const left = await bench.tool(policy, 'mcp__hostile__fat')
    expect(await left.parse({})).toMatchObject({
      problems: [
        /two tools named act.*no spaces please.*fat has \d+ bytes.*deep is nested over.*not valid Unicode/s,
      ],
    })
    const anything = await bench.tool(policy, 'mcp__hostile__unheard_of')
    expect(await anything.parse({ any: 'thing' })).toMatchObject({ ok: true })
  })

  it('has a schema of input or output that takes for ever to check delays no other call', async () => {
    await using bench = mcpBench()
    const policy = hostile('odd-list')
    const slow = await bench.tool(policy, 'mcp__hostile__slow_pattern')
    const act = await bench.tool(policy, 'mcp__hostile__act')
    const slowOutput = await bench.tool(hostile('slow-output-schema'), 'mcp__hostile__act')
    const order: string[] = []
    const returned = bench.call(slowOutput)
    const checking = slow.parse({ text: `${'a'.repeat(60)}!` })
    const meanwhile = act.parse({ text: 'x' })
    const addToOrder = (name: string) => () => void order.push(name)
    await Promise.all([
      Promise.resolve(checking).then(addToOrder('slow')),
      Promise.resolve(meanwhile).then(addToOrder('act')),
    ])
    expect(order).toEqual(['act', 'slow'])
    expect(await meanwhile).toMatchObject({ ok: true })
    expect(await checking).toMatchObject({ ok: false, problems: [/did not answer in 10 s/] })
    expect(await returned).toMatchObject({
      type: 'error',
      unfit: expect.stringMatching(/it could not be checked: .*did not answer in 10 s/),
    })
  })

  it('returns a result that fits its schema, with additional fields: it is accepted', async () => {
    await using bench = mcpBench()
    const tool = await bench.tool(hostile('keeps-its-word'), 'mcp__hostile__act')
    expect(await bench.call(tool)).toMatchObject({
      type: 'output',
      text: 'acted',
      output: { structuredContent: { total: 3, more: 'allowed' } },
    })
    const odd = await bench.tool(hostile('odd-output-schema'), 'mcp__hostile__act')
    expect(await bench.call(odd)).toMatchObject({ type: 'output' })
  })

  it.each([
    ['breaks-its-word', 'total: must be a number'],
    ['returns-no-structure', 'it has an outputSchema, and returned no structuredContent'],
  ])('%s of its outputSchema is an error that says so, and is called once', async (how, why) => {
    await using bench = mcpBench()
    const tool = await bench.tool(hostile(how, bench), 'mcp__hostile__act')
    const what = `act of the MCP server hostile ran to its end, but what it returned is not what it says it returns: ${why}`
    expect(await bench.call(tool)).toMatchObject({
      type: 'error',
      text: `${what}. Its effect may have happened; do not call it again only for the result.`,
      unfit: what,
      output: { content: [{ type: 'text', text: 'acted' }] },
    })
    expect(calls(bench)).toBe(1)
  })

  it('returns more blobs than the limit: the others are named and counted', async () => {
    await using bench = mcpBench()
    const tool = await bench.tool(hostile('many-blobs'), 'mcp__hostile__act')
    const { files, output, text } = await bench.call(tool)
    expect(files).toHaveLength(100)
    expect(text).toMatch(/\n\[3 more pictures or blobs are not kept\]$/)
    expect(JSON.stringify(output).match(/"omitted"/g)).toHaveLength(3)
  })

  // Rules: product.md 14, 25
  it('changes a tool after it was judged is not called', async () => {
    await using bench = mcpBench()
    const tool = await bench.tool(hostile('changes', bench), 'mcp__hostile__act')
    expect(await bench.call(tool)).toMatchObject({
      type: 'error',
      text: expect.stringMatching(
        /was not carried out: the server has another definition of the tool/,
      ),
    })
    expect(() => calls(bench)).toThrow(/ENOENT/)
  })
})
