import { guaranteesOf } from './hook-guarantees.ts'

guaranteesOf('copilot-cli')
