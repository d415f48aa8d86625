import type { HookEvent } from './hook-event.ts'
import { nameOf, objectOf, optionalName } from './hook-event.ts'

/** The input of a `--permission-prompt-tool`. */
export interface PermissionQuestion {
  readonly tool_name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly tool_use_id?: string | undefined
}

/** The output of a `--permission-prompt-tool`. */
export type PermissionAnswer =
  | { readonly behavior: 'allow'; readonly updatedInput: PermissionQuestion['input'] }
  | { readonly behavior: 'deny'; readonly message: string }

/** The tool of `countersign mcp` and of `/mcp`, as it is listed. */
export const permissionTool = {
  name: 'approve',
  title: 'Ask for permission',
  description:
    'Asks whether a tool call may run. Policy and other people decide; this tool approves nothing by itself.',
  inputSchema: {
    type: 'object' as const,
    properties: {
      tool_name: { type: 'string', minLength: 1, maxLength: 200 },
      input: { type: 'object' },
      tool_use_id: { type: 'string', minLength: 1, maxLength: 200 },
    },
    required: ['tool_name', 'input'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
}

/** How long the tool waits for people without another setting. */
export const usualPermissionSeconds = 3300

const notAQuestion = 'The arguments are not a question'

/** Parses the arguments of a call of the tool. Throws an error with a sentence. */
export function readQuestion(input: Readonly<Record<string, unknown>>): PermissionQuestion {
  const tool_use_id = optionalName(input, 'tool_use_id', notAQuestion)
  return {
    tool_name: nameOf(input, 'tool_name', notAQuestion),
    input: objectOf(input, 'input', notAQuestion),
    ...(tool_use_id === undefined ? {} : { tool_use_id }),
  }
}

/** The question as an event of a hook. The tool has no session. */
export function eventOfQuestion({ input, tool_name }: PermissionQuestion): HookEvent {
  const session_id = 'permission-prompt-tool'
  return { hook_event_name: 'PreToolUse', session_id, tool_name, tool_input: { ...input } }
}

/** An answer as the tool's only block of text. */
export function answerContent(answer: PermissionAnswer) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(answer) }] }
}

/** A denial, with a sentence for the model and the person. */
export function denyPermission(sentence: string): PermissionAnswer {
  return { behavior: 'deny', message: `Countersign: ${sentence}` }
}
