export { agentRun } from './agent-run.ts'
export { approvalRequest } from './approval-request.ts'
export { judge } from './judge.ts'
