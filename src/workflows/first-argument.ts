import type { WorkflowInterceptors } from '@temporalio/workflow'

/**
 * Handlers and workflows here take one argument. A signal can carry a million, and passing those on
 * would overflow the stack and fail the workflow task (security.md 31).
 */
export function interceptors(): WorkflowInterceptors {
  return {
    inbound: [
      {
        execute: (input, next) => next({ ...input, args: input.args.slice(0, 1) }),
        handleSignal: (input, next) => next({ ...input, args: input.args.slice(0, 1) }),
      },
    ],
  }
}
