"""The functions of the commands: from logs and options to the call of a public function, and its answer."""
