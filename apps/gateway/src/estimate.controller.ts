import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { TaskCreation } from './task-creation.js';

@Controller('/v1/estimate')
export class EstimateController {
  constructor(@Inject(TaskCreation) private readonly creation: TaskCreation) {}

  @Post()
  @HttpCode(200)
  estimate(@Req() request: FastifyRequest): object {
    return this.creation.estimate(request);
  }
}
