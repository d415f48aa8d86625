import type { LoadedTools, ToolProcessSetup, ToolQuery } from '../tool-protocol.ts'
import { answerQuery } from './answer-query.ts'
import { holdLifeline } from './lifeline.ts'
import { loadToolFiles } from './load-tool-files.ts'
import type { LoadedTool } from './loaded-tool.ts'
import { serveQueries, sendToParent } from './serve-queries.ts'

/** Entry of a tool process: loads the project's tools and answers queries about them. */
holdLifeline()

let tools = new Map<string, LoadedTool>()
let setup: ToolProcessSetup | null = null

await serveQueries<ToolQuery>(async (query, signal) => {
  if (query.do === 'load') {
    setup = query.setup
    const loaded = await loadToolFiles(setup, (loading) => sendToParent({ loading }))
    tools = loaded.tools
    const descriptions = [...tools.values()].map((tool) => tool.description)
    return { tools: descriptions, problems: loaded.problems } satisfies LoadedTools
  }
  const tool = tools.get(query.tool)
  if (tool === undefined || setup === null) throw new Error(`There is no tool ${query.tool}`)
  return answerQuery(tool, query, signal, setup.maxResultBytes)
})
