/** The definitions of `@countersign/tools` for the service. */
export { isDefinedTool } from '#program-tools'
export type { CustomPresentation, DefinedTool, ToolContext } from '#program-tools'
