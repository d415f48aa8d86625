/** What tools of a project import as `countersign`: the same as `@countersign/tools`. */
export { defineTool } from '#program-tools'
export type {
  Approval,
  CustomPresentation,
  DefinedTool,
  JsonObject,
  Risk,
  Scope,
  ToolContext,
  ToolDefinition,
} from '#program-tools'
