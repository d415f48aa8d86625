import { Visitor } from '@swc/core/Visitor.js'
import type { Statement, VariableDeclarator } from '@swc/core'

/**
 * swc's own visitor, which dependency-cruiser walks with, throws at `using` declarations. They are
 * walked like other declarations from here on, so that imports inside them are seen too.
 */
const visitor = Visitor.prototype
const visitOthers = visitor.visitStatement

visitor.visitStatement = function (statement: Statement): Statement {
  const { type, decls } = statement as unknown as { type: string; decls: VariableDeclarator[] }
  if (type !== 'UsingDeclaration') return visitOthers.call(this, statement)
  this.visitVariableDeclarators(decls)
  return statement
}
