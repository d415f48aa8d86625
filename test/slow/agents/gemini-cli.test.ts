import { guaranteesOf } from './hook-guarantees.ts'

guaranteesOf('gemini-cli')
