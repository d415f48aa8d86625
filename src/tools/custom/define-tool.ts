/** What `@countersign/tools` declares, as the service reads it. */
export { isDefinedTool } from '#program-tools'
export type { CustomPresentation, DefinedTool, ToolContext } from '#program-tools'
