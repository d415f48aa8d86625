export { agentRun } from './agent-run.ts'
export { approvalRequest } from './approval-request.ts'
export { gatewayCall } from './gateway-call.ts'
export { judge } from './judge.ts'
