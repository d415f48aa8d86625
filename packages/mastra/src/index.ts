export { countersignTool, type MastraTool, type ToolOptions } from './countersign-tool.ts'
