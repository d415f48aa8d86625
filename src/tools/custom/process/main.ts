import type { LoadedTools, ToolProcessSetup, ToolQuestion } from '../tool-protocol.ts'
import { answerQuestion } from './answer-question.ts'
import { loadToolFiles } from './load-tool-files.ts'
import type { LoadedTool } from './loaded-tool.ts'
import { holdLifeline, serveQuestions, tellParent } from './serve-questions.ts'

/**
 * Entry of a tool process: loads the project's tool files and answers questions about their tools.
 */
holdLifeline()

let tools = new Map<string, LoadedTool>()
let setup: ToolProcessSetup | null = null

await serveQuestions<ToolQuestion>(async (question, signal) => {
  if (question.do === 'load') {
    setup = question.setup
    const loaded = await loadToolFiles(setup, (loading) => tellParent({ loading }))
    tools = loaded.tools
    const descriptions = [...tools.values()].map((tool) => tool.description)
    return { tools: descriptions, problems: loaded.problems } satisfies LoadedTools
  }
  const tool = tools.get(question.tool)
  if (tool === undefined || setup === null) throw new Error(`There is no tool ${question.tool}`)
  return answerQuestion(tool, question, signal, setup.maxResultBytes)
})
