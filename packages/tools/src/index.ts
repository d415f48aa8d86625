export { defineTool, isDefinedTool } from './define-tool.ts'
export type {
  Approval,
  CustomPresentation,
  DefinedTool,
  JsonObject,
  Risk,
  Scope,
  ToolContext,
  ToolDefinition,
} from './tool-definition.ts'
