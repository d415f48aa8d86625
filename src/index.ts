export { defineTool } from './tools/custom/define-tool.ts'
export type {
  CustomPresentation,
  DefinedTool,
  ToolContext,
  ToolDefinition,
} from './tools/custom/define-tool.ts'
export type { Approval, Risk, Scope } from './domain/verdict.ts'
