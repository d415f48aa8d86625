export { agentRun } from './agent-run.ts'
export { judge } from './judge.ts'
