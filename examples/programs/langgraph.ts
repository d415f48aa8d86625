import { tool } from '@langchain/core/tools'
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import type { BaseMessage } from '@langchain/core/messages'
import { CountersignError, type Client } from '@countersign/client'
import { z } from 'zod'

/** Your function that rolls a version out. */
export type Deploy = (input: { service: string; version: string }) => Promise<string>

/** Your model: returns its answer to the messages so far. */
export type Model = (messages: BaseMessage[]) => Promise<BaseMessage>

/**
 * A LangGraph.js agent whose tool `deploy` runs only after somebody else has approved this very
 * call. The model gets a refusal as the tool's answer, with the reason as data.
 */
export function deployAgent(countersign: Client, model: Model, deploy: Deploy) {
  const deployTool = tool(
    async (input, { toolCall }: { toolCall?: { id?: string } }) => {
      const call = {
        tool: 'deploy',
        input,
        ...(toolCall?.id === undefined ? {} : { externalId: `deploy:${toolCall.id}` }),
      }
      try {
        return await countersign.gate(call, (allowed) => deploy(allowed.input))
      } catch (error) {
        if (error instanceof CountersignError) return `Not done. ${error.message}`
        throw error
      }
    },
    {
      name: 'deploy',
      description: 'Roll a version of a service out to production',
      schema: z.object({ service: z.string(), version: z.string() }),
    },
  )
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({ messages: [await model(messages)] }))
    .addNode('tools', new ToolNode([deployTool]))
    .addEdge(START, 'model')
    .addConditionalEdges('model', ({ messages }) => {
      const last = messages.at(-1)
      const calls = last !== undefined && 'tool_calls' in last ? last.tool_calls : []
      return Array.isArray(calls) && calls.length > 0 ? 'tools' : END
    })
    .addEdge('tools', 'model')
    .compile()
}
