import { hashJson } from '../../domain/digest.ts'
import { ToolProblem } from '../../domain/tool-problem.ts'
import type { Tool } from '../../domain/tool.ts'

/** A tool that a worker has but that this host cannot run: every call is refused with the sentence. */
export function unavailableTool(name: string, sentence: string): Tool {
  const refuse = async (): Promise<never> => {
    throw new ToolProblem(sentence)
  }
  return {
    name,
    description: `Not available: ${sentence}`,
    jsonSchema: { type: 'object' },
    risk: 'high',
    readOnly: false,
    idempotent: false,
    manual: false,
    scopes: ['once'],
    definitionHash: hashJson({ name, unavailable: sentence }),
    parse: () => ({ ok: false, problems: [sentence] }),
    accesses: () => [],
    approval: async () => 'ask',
    present: refuse,
    execute: async () => ({ type: 'error', output: { problem: sentence }, text: sentence }),
  }
}
