import { tool, type Tool } from 'ai'
import type { Client } from '@countersign/client'
import { z } from 'zod'

/** Your function that rolls a version out. */
export type Deploy = (input: { service: string; version: string }) => Promise<string>

/**
 * A tool of the AI SDK whose `execute` runs only after somebody else has approved this very call.
 * Give it to `generateText` or `streamText` like any other; a denial reaches the model as the
 * tool's error.
 */
export function deployTool(countersign: Client, deploy: Deploy): Tool {
  return tool({
    description: 'Roll a version of a service out to production',
    inputSchema: z.object({ service: z.string(), version: z.string() }),
    execute: (input, { toolCallId, abortSignal }) =>
      countersign.gate(
        {
          tool: 'deploy',
          input,
          // The model's id of the call: if the same call asks again, it gets the same request.
          externalId: `deploy:${toolCallId}`,
          title: `Deploy ${input.service} ${input.version}`,
        },
        (allowed) => deploy(allowed.input),
        abortSignal === undefined ? {} : { signal: abortSignal },
      ),
  })
}
